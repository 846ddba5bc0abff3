/** Dense numbers by a 32-bit hash: a chained hash table in arrays, at some 13 bytes a number. */
import { grown } from '../../catalog/growth.ts';

export function createHashChains() {
  /** The first number of each chain, plus 1. */
  let heads = new Int32Array(1024);
  let next = new Int32Array(0);
  let present = new Uint8Array(0);
  let hashes = new Int32Array(0);
  let count = 0;

  const link = (id: number): void => {
    const slot = hashes[id] & (heads.length - 1);
    next[id] = heads[slot];
    heads[slot] = id + 1;
  };

  return {
    /** Adds a number, which must not be present. */
    add(id: number, hash: number): void {
      next = grown(next, id + 1);
      present = grown(present, id + 1);
      hashes = grown(hashes, id + 1);
      hashes[id] = hash;
      present[id] = 1;
      link(id);
      if (++count <= heads.length) return;
      heads = new Int32Array(heads.length * 2);
      for (let other = 0; other < present.length; other++) if (present[other]) link(other);
    },
    remove(id: number): void {
      if (!present[id]) return;
      present[id] = 0;
      count -= 1;
      const slot = hashes[id] & (heads.length - 1);
      if (heads[slot] === id + 1) {
        heads[slot] = next[id];
        return;
      }
      let before = heads[slot] - 1;
      while (next[before] !== id + 1) before = next[before] - 1;
      next[before] = next[id];
    },
    /** Calls back with the numbers of a hash, the newest first, until it returns false. */
    visit(hash: number, visit: (id: number) => boolean): void {
      for (let id = heads[hash & (heads.length - 1)] - 1; id >= 0; id = next[id] - 1)
        if (hashes[id] === (hash | 0) && !visit(id)) return;
    },
  };
}
