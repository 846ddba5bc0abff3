/** Moves the `count` largest values to the front, unordered (Hoare's selection). */
export function partitionLargest(values: Float64Array, length: number, count: number): void {
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left] > pivot) left += 1;
      while (values[right] < pivot) right -= 1;
      if (left > right) break;
      const held = values[left];
      values[left++] = values[right];
      values[right--] = held;
    }
    if (count - 1 <= right) high = right;
    else if (count - 1 >= left) low = left;
    else return;
  }
}
