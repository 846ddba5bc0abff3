const encoder = new TextEncoder();

/** Returns the bytes of a text in UTF-8. */
export const byteLengthOf = (text: string): number => encoder.encode(text).length;
