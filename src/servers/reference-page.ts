/** The interface's description as one page, rendered from the OpenAPI document; no script, nothing loaded from elsewhere. */

type Schema = Record<string, unknown> & { $ref?: string };

type Parameter = { name: string; in: string; required?: boolean; description?: string };

type PathOperation = {
  operationId: string;
  tags?: string[];
  description?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string }>;
};

export type OpenApiDocument = {
  info?: { title?: string; description?: string };
  paths: Record<string, Record<string, PathOperation>>;
  components: { schemas: Record<string, Schema> };
};

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; }
h2 { margin-top: 3rem; border-bottom: 1px solid #d5dde5; } h3 { font-family: ui-monospace, monospace; font-size: 1rem; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; color: #0a5f8a; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; } td { border-top: 1px solid #e5ebf0; padding: .3rem .6rem .3rem 0; vertical-align: top; }
td:first-child { font-family: ui-monospace, monospace; white-space: nowrap; } pre { background: #f5f7f9; padding: 1rem; overflow: auto; font-size: .85rem; }`;

export function renderReference(document: OpenApiDocument): string {
  const { info, paths, components } = document;
  const title = escapeHtml(info?.title ?? 'Interface');
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => renderOperation(method, path, operation)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => renderSchema(name, schema));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style></head><body><h1>${title}</h1><p>${escapeHtml(info?.description ?? '')}</p>
<p>This page as data: <a href="openapi.json">openapi.json</a></p>
<h2>Operations</h2>${operations.join('\n')}<h2>Schemas</h2>${schemas.join('\n')}</body></html>
`;
}

function renderOperation(method: string, path: string, operation: PathOperation): string {
  const { operationId, description = '', parameters = [], requestBody, responses } = operation;
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => refName(schema));
  const rows = [
    ...parameters.map(({ name, in: place, required, description: text = '' }) => [
      `${name}${required ? ' *' : ''}`,
      `${place}. ${text}`,
    ]),
    ...bodies.filter((name) => name !== undefined).map((name) => ['body', name]),
    ...Object.entries(responses).map(([status, { description: text }]) => [status, text]),
  ];
  return `<section id="${escapeHtml(operationId)}"><h3><span class="method">${escapeHtml(method.toUpperCase())}</span>${escapeHtml(path)}</h3>
<p>${escapeHtml(description)}</p><table>${rows.map(renderRow).join('')}</table></section>`;
}

function renderRow([name, text]: string[]): string {
  return `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(text)}</td></tr>`;
}

function renderSchema(name: string, schema: Schema): string {
  return `<section id="schema-${escapeHtml(name)}"><h3>${escapeHtml(name)}</h3><pre>${escapeHtml(JSON.stringify(schema, undefined, 2))}</pre></section>`;
}

function refName({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character]);
}
