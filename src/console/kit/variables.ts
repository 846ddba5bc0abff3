/** Variables of a request as one types them: undefined when the text is no JSON object; no text stands for none. */
export function readVariables(text: string): Record<string, never> | undefined {
  if (text.trim() === '') return {};
  try {
    const json = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
