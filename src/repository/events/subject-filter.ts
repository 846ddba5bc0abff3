/**
 * Of whom something may be recorded: a Bloom filter that grows. It never denies who was added, and of a hundred others it takes
 * two or three at most for somebody who was.
 *
 * A layer that is full stays, and the next one is twice as large: 2 to 4 bytes a subject. Beyond 16 million subjects, or 32 MB,
 * it grows no more and takes ever more people for others. It holds no ids.
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
/** Powers of two. */
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

/** 32 bits: of 16 million subjects, one in 256 newcomers shares its number with one of them. */
function hashOf(environment: string, kind: SubjectKind, id: string): number {
  return scatter(bucketOf(0x1_0000_0000, environment, kind, id));
}

/** Odd, so that the probes of one hash are apart. */
function stepOf(hash: number): number {
  return scatter(hash ^ 0x9e3779b9) | 1;
}

/** Has each bit depend on all: neighbouring ids are far from each other. */
function scatter(value: number): number {
  let bits = value | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
