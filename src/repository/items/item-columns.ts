/** The columns of an item that reads and writes return. */
export const itemColumns = `environment, item_type as "itemType", item_id as "itemId", document, enabled, revision,
  created_at as "createdAt", updated_at as "updatedAt", bucket, number`;
