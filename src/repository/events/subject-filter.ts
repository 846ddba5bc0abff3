/**
 * Tracks subjects with recorded events in a growing Bloom filter. It has no false negatives, and at
 * most two or three percent false positives.
 *
 * A full layer stays, and the next one is twice as large: 2 to 4 bytes per subject. Beyond 16
 * million subjects (32 MB) the filter stops growing and false positives increase. It holds no IDs.
 */
import { bucketOf } from '../buckets.ts';
import type { SubjectKind } from './history-batch.ts';

export type SubjectFilter = {
  add(environment: string, kind: SubjectKind, id: string): void;
  mayHold(environment: string, kind: SubjectKind, id: string): boolean;
  clear(): void;
};

const bitsPerSubject = 16;
const probes = 4;
/** Subjects per layer; powers of two. */
const leastCapacity = 65_536;
const mostCapacity = 8_388_608;

type Layer = { words: Uint32Array; capacity: number; count: number };

export function createSubjectFilter(): SubjectFilter {
  let layers = [createLayer(leastCapacity)];
  const mayHold = (hash: number) => layers.some((layer) => isIn(layer, hash));
  const add = (hash: number): void => {
    let last = layers.at(-1)!;
    if (last.count >= last.capacity && last.capacity < mostCapacity) {
      last = createLayer(2 * last.capacity);
      layers.push(last);
    }
    addTo(last, hash);
  };
  return {
    add(environment, kind, id) {
      const hash = hashOf(environment, kind, id);
      if (!mayHold(hash)) add(hash);
    },
    mayHold: (environment, kind, id) => mayHold(hashOf(environment, kind, id)),
    clear() {
      layers = [createLayer(leastCapacity)];
    },
  };
}

function createLayer(capacity: number): Layer {
  return { words: new Uint32Array((capacity * bitsPerSubject) / 32), capacity, count: 0 };
}

function addTo(layer: Layer, hash: number): void {
  const { words } = layer;
  const mask = words.length * 32 - 1;
  const step = stepOf(hash);
  let place = hash;
  for (let probe = 0; probe < probes; probe++) {
    const bit = place & mask;
    words[bit >>> 5] |= 1 << (bit & 31);
    place = (place + step) | 0;
  }
  layer.count += 1;
}

function isIn({ words }: Layer, hash: number): boolean {
  const mask = words.length * 32 - 1;
  const step = stepOf(hash);
  let place = hash;
  for (let probe = 0; probe < probes; probe++) {
    const bit = place & mask;
    if ((words[bit >>> 5] & (1 << (bit & 31))) === 0) return false;
    place = (place + step) | 0;
  }
  return true;
}

/** Returns a 32-bit hash. With 16 million subjects, one new subject in 256 collides. */
function hashOf(environment: string, kind: SubjectKind, id: string): number {
  return scatter(bucketOf(0x1_0000_0000, environment, kind, id));
}

/** Returns an odd step, so the probes of one hash differ. */
function stepOf(hash: number): number {
  return scatter(hash ^ 0x9e3779b9) | 1;
}

/** Mixes all bits, so neighbouring IDs get distant values. */
function scatter(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
