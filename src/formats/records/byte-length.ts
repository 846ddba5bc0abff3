const encoder = new TextEncoder();

export const byteLengthOf = (text: string): number => encoder.encode(text).length;
