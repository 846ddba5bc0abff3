import test from 'ava';
import { readSpreadsheet } from '../../../../src/formats/records/reading/spreadsheet.ts';

/** A directory of one file that declares so many bytes. */
function archiveOf(byteCount: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(46 + 22));
  view.setUint32(0, 0x02014b50, true);
  view.setUint32(24, byteCount, true);
  view.setUint32(46, 0x06054b50, true);
  view.setUint32(46 + 16, 0, true);
  return new Uint8Array(view.buffer);
}

test('a workbook that unpacks to too many bytes is refused before it is unpacked', async (t) => {
  async function* chunks() {
    yield archiveOf(300 * 1_048_576);
  }
  await t.throwsAsync(
    readSpreadsheet(chunks(), () => undefined),
    { message: /more than 268435456 bytes unpacked/ },
  );
});
