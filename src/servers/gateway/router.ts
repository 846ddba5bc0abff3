/**
 * Finds the route of a path in a trie of path segments.
 *
 * Literals are tried before parameters. Segments are decoded one by one, so an encoded slash remains inside its segment.
 * Empty segments match no parameter: `/a/` and `/a` are different paths.
 */

import { parametersOf } from './route-faults.ts';

/** Anything that has a route, such as an endpoint. */
export type Routed = { readonly route: { readonly httpMethod: string; readonly path: string } };

export type Match<T> =
  | { kind: 'found'; target: T; parameters: Record<string, string> }
  | { kind: 'unknown' }
  /** The path exists, with these methods. */
  | { kind: 'method'; allowed: string[] }
  /** A segment has a `%` that encodes nothing. */
  | { kind: 'malformed'; segment: string };

export type Router<T> = {
  /** HEAD matches the routes of GET. @param path Raw request path without the query. */
  match(method: string, path: string): Match<T>;
};

type Leaf<T> = { target: T; names: readonly string[] };

type Node<T> = {
  literals: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  /** By HTTP method; empty where no path ends. */
  leaves: Map<string, Leaf<T>>;
};

/**
 * @param basePath Begins with `/` and does not end with it; empty or `/` for none.
 * @throws Error when two targets conflict.
 */
export function createRouter<T extends Routed>(targets: readonly T[], basePath: string): Router<T> {
  const prefix = basePath === '/' ? '' : basePath;
  const root = createNode<T>();
  for (const target of targets) insert(root, target);
  return {
    match(method, path) {
      if (!path.startsWith(`${prefix}/`)) return { kind: 'unknown' };
      const segments = decodeSegments(path.slice(prefix.length + 1));
      return Array.isArray(segments) ? matchSegments(root, method, segments) : segments;
    },
  };
}

function matchSegments<T>(root: Node<T>, method: string, segments: string[]): Match<T> {
  const values: string[] = [];
  const node = find(root, segments, 0, values);
  if (node === undefined) return { kind: 'unknown' };
  const leaf = node.leaves.get(method === 'HEAD' ? 'GET' : method);
  if (leaf === undefined) return { kind: 'method', allowed: methodsOf(node) };
  const parameters: Record<string, string> = {};
  for (let index = 0; index < values.length; index++) parameters[leaf.names[index]] = values[index];
  return { kind: 'found', target: leaf.target, parameters };
}

/** Returns the node at which the path ends, and adds the values of parameters on the way. */
function find<T>(node: Node<T>, segments: string[], index: number, values: string[]): Node<T> | undefined {
  if (index === segments.length) return node.leaves.size > 0 ? node : undefined;
  const segment = segments[index];
  const literal = node.literals.get(segment);
  if (literal !== undefined) {
    const found = find(literal, segments, index + 1, values);
    if (found !== undefined) return found;
  }
  if (node.parameter === undefined || segment === '') return undefined;
  values.push(segment);
  const found = find(node.parameter, segments, index + 1, values);
  if (found === undefined) values.pop();
  return found;
}

function insert<T extends Routed>(root: Node<T>, target: T): void {
  const { httpMethod, path } = target.route;
  let node = root;
  for (const segment of path.slice(1).split('/')) node = descend(node, segment);
  if (node.leaves.has(httpMethod)) throw new Error(`${httpMethod} ${path} is the path of two routes`);
  node.leaves.set(httpMethod, { target, names: parametersOf(path) });
}

function descend<T>(node: Node<T>, segment: string): Node<T> {
  if (segment.startsWith('{')) {
    node.parameter ??= createNode();
    return node.parameter;
  }
  const known = node.literals.get(segment);
  if (known !== undefined) return known;
  const created = createNode<T>();
  node.literals.set(segment, created);
  return created;
}

function createNode<T>(): Node<T> {
  return { literals: new Map(), parameter: undefined, leaves: new Map() };
}

function methodsOf<T>(node: Node<T>): string[] {
  const methods = [...node.leaves.keys()];
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

function decodeSegments(path: string): string[] | { kind: 'malformed'; segment: string } {
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  for (const [index, segment] of segments.entries()) {
    const decoded = decodeEscapes(segment);
    if (decoded === undefined) return { kind: 'malformed', segment };
    segments[index] = decoded;
  }
  return segments;
}

/** Decodes percent escapes as UTF-8. Returns undefined when one is malformed. */
export function decodeEscapes(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
