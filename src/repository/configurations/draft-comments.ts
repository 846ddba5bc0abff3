/** Stores comments in the row of their draft, which erases them. */

import { sql } from 'kysely';
import { nameOfClient } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { isStored } from './drafts.ts';

export type DraftComment = {
  commentId: string;
  clientId: string | null;
  /** Name of the client or person. */
  clientName: string | null;
  text: string;
  createdAt: Date;
};

/** Lists the comments on a draft, oldest first. */
export function listDraftComments(db: Database, configurationId: string): Promise<DraftComment[]> {
  return queryRaw<DraftComment>(
    db,
    sql`
    select comment_id as "commentId", made.client_id as "clientId", text, created_at as "createdAt",
      ${nameOfClient('made')} as "clientName"
    from configuration_drafts, jsonb_to_recordset(comments)
      as made(comment_id text, client_id text, text text, created_at timestamptz)
    where configuration_id = ${configurationId} and ${isStored}`,
  );
}

type NewComment = { configurationId: string; clientId: string | undefined; text: string };

/** Adds a comment and returns its ID; undefined without a draft, or if it has `most`. */
export async function insertDraftComment(
  db: Database,
  { configurationId, clientId, text }: NewComment,
  most: number,
): Promise<string | undefined> {
  const rows = await queryRaw<{ commentId: string }>(
    db,
    sql`
    update configuration_drafts set comments = comments || jsonb_build_array(jsonb_build_object(
      'comment_id', gen_random_uuid(), 'client_id', ${clientId ?? null}::text,
      'text', ${text}::text, 'created_at', clock_timestamp()))
    where configuration_id = ${configurationId} and ${isStored} and jsonb_array_length(comments) < ${most}
    returning comments -> -1 ->> 'comment_id' as "commentId"`,
  );
  return rows[0]?.commentId;
}

/** Deletes a comment of a client; returns whether there was one. */
export async function deleteDraftComment(
  db: Database,
  { configurationId, commentId, clientId }: Record<'configurationId' | 'commentId' | 'clientId', string>,
): Promise<boolean> {
  const own = JSON.stringify([{ comment_id: commentId, client_id: clientId }]);
  const rows = await queryRaw(
    db,
    sql`
    update configuration_drafts set comments = (
      select coalesce(jsonb_agg(one order by place), '[]')
      from jsonb_array_elements(comments) with ordinality as all_comments(one, place)
      where one ->> 'comment_id' <> ${commentId})
    where configuration_id = ${configurationId} and ${isStored} and comments @> ${own}::jsonb
    returning configuration_id`,
  );
  return rows.length > 0;
}
