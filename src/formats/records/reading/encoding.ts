/** Converts the bytes of a file to UTF-8 with LF or CRLF line ends, whatever wrote them. */

export type EncodingOptions = {
  /** WHATWG label, such as `windows-1250`. Undefined detects UTF-8, UTF-16 and Windows-1252. */
  encoding: string | undefined;
  /** Whether bytes that are not UTF-8 may be Windows-1252; JSON is never. */
  isGuessed: boolean;
  /** Receives what was detected. */
  note(sentence: string): void;
  /** Receives an encoding that the bytes do not declare. */
  onGuess?(encoding: string): void;
};

type Chunks = AsyncIterable<Uint8Array>;

/** Bytes that show a byte order mark, the zeros of UTF-16 or the declaration of XML. */
const headBytes = 1_024;

const [newline, carriageReturn] = [0x0a, 0x0d];

/** @throws Error for an unknown encoding. */
export function toUtf8(chunks: Chunks, options: EncodingOptions): AsyncGenerator<Uint8Array> {
  if (options.encoding !== undefined) decoderOf(options.encoding);
  return unifyLineEnds(decode(chunks, options));
}

function decoderOf(encoding: string) {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw new Error(`Unknown encoding ${JSON.stringify(encoding)}. Expected one such as windows-1252.`);
  }
}

async function* decode(chunks: Chunks, options: EncodingOptions): AsyncGenerator<Uint8Array> {
  const { encoding, isGuessed, note, onGuess } = options;
  const encoder = new TextEncoder();
  const probe = new TextDecoder();
  const guess = (chunk: Uint8Array) => (isGuessed ? guessOf(probe.decode(chunk, { stream: true })) : 'utf-8');
  let isOpen = true;
  let decoder: ReturnType<typeof decoderOf> | undefined;
  for await (const chunk of withHead(chunks)) {
    const declared = isOpen ? (encoding ?? declaredIn(chunk)) : undefined;
    const label = declared ?? (isOpen ? guess(chunk) : undefined);
    if (label !== undefined) isOpen = false;
    if (label !== undefined && decoderOf(label).encoding !== 'utf-8') {
      decoder = decoderOf(label);
      if (declared === undefined) onGuess?.(decoder.encoding);
      if (encoding === undefined) note(`The file is read as ${decoder.encoding}.`);
    }
    yield decoder ? encoder.encode(decoder.decode(chunk, { stream: true })) : chunk;
  }
  const rest = decoder?.decode();
  if (rest) yield encoder.encode(rest);
}

/** Makes the first chunk large enough to show the encoding. */
async function* withHead(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array(0);
  for await (const chunk of chunks) {
    if (!head) yield chunk;
    else {
      const joined: Uint8Array = new Uint8Array(head.length + chunk.length);
      joined.set(head);
      joined.set(chunk, head.length);
      head = joined.length < headBytes ? joined : undefined;
      if (!head) yield joined;
    }
  }
  if (head && head.length > 0) yield head;
}

const declaration = /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;

/** Returns the encoding by the first bytes; undefined for text that may be UTF-8. */
function declaredIn(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if ((a === 0xff && b === 0xfe) || (a > 0 && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b > 0)) return 'utf-16be';
  return a === 0x3c ? declaration.exec(String.fromCharCode(...bytes.subarray(0, 200)))?.[1] : undefined;
}

/** Decides by the first letters beyond ASCII; undefined while there are none. */
function guessOf(text: string): string | undefined {
  const letters = text.match(/[^\0-\x7f]/gu) ?? [];
  if (letters.length === 0) return undefined;
  const faultCount = letters.filter((letter) => letter === '\ufffd').length;
  return faultCount * 2 > letters.length ? 'windows-1252' : 'utf-8';
}

/** If the first line ends in CR alone, as in files of old Macs, each CR becomes LF. */
async function* unifyLineEnds(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let hasCr: boolean | undefined;
  let endsInCr = false;
  for await (const chunk of chunks) {
    if (endsInCr) hasCr = chunk[0] !== newline;
    if (endsInCr && hasCr) yield new Uint8Array([newline]);
    endsInCr = false;
    if (hasCr === undefined) {
      const end = chunk.findIndex((byte) => byte === newline || byte === carriageReturn);
      endsInCr = end === chunk.length - 1 && chunk[end] === carriageReturn;
      if (end >= 0 && !endsInCr) hasCr = chunk[end] === carriageReturn && chunk[end + 1] !== newline;
    }
    yield hasCr ? chunk.map((byte) => (byte === carriageReturn ? newline : byte)) : chunk;
  }
}

/** Collects a file that is read as a whole. @param advice What to do about a larger one. */
export async function collect(chunks: Chunks, mostBytes: number, advice: string): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let byteCount = 0;
  for await (const chunk of chunks) {
    byteCount += chunk.length;
    if (byteCount > mostBytes) throw new Error(`The file is larger than ${mostBytes} bytes; ${advice}.`);
    parts.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Blob(parts);
}
