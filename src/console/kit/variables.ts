/** Parses variables of a request: undefined unless the text is a JSON object; an empty text has no variables. */
export function readVariables(text: string): Record<string, never> | undefined {
  if (text.trim() === '') return {};
  try {
    const json = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
