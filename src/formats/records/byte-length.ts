const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export const byteLengthOf = (text: string): number => encoder.encode(text).length;
