/** Returns undefined when the text is not JSON. */
export function parseJson(text: string): Record<string, unknown> | null | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
