/** Next clicks of sessions: the service gets each session's clicks in the request, Serenade keeps them by session. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { createChance } from '../../../src/deployment/demo/random.ts';
import type { HttpRequest } from '../http-lane.ts';
import { stopProcess } from '../processes.ts';
import { call, importRecords, startService, train } from '../service.ts';
import { createZipf, environment } from '../world.ts';
import { type Comparison, type Figures, measureLoad, pidsOf, round } from './side.ts';

type Click = { session: number; item: number; time: number };
type Question = { session: number; viewed: readonly number[]; next: number };
type Sessions = { past: readonly Click[]; questions: readonly Question[] };

const listSize = 20;
const serenadePort = 18_480;
/** Seconds after an import at which the lists should be useful. */
const usefulSeconds = 5;
const daySeconds = 86_400;

const yaml = `
environments:
  - name: ${environment}
    item_types: [ { name: item } ]
`;

/** The settings that Serenade's search of parameters finds for the public sessions, as its README shows it. */
const serenadeSettings = (port: number, trainingPath: string) => `config_type = "toml"
[server]
host = "127.0.0.1"
port = ${port}
num_workers = 2
[log]
level = "info"
[data]
training_data_path = "${trainingPath}"
[model]
m_most_recent_sessions = 1502
neighborhood_size_k = 288
max_items_in_session = 4
num_items_to_recommend = ${listSize}
idf_weighting = 1
[logic]
enable_business_logic = false
[hyperparam] # read at the start, too
training_data_path = ""
test_data_path = ""
validation_data_path = ""
num_iterations = 1
save_records = false
out_path = ""
enable_business_logic = false
n_most_recent_sessions_range = [1, 2]
neighborhood_size_k_range = [1, 2]
last_items_in_session_range = [1, 2]
idf_weighting_range = [0, 1]
`;

export async function compareSerenade(comparison: Comparison): Promise<Record<string, Figures>> {
  const sessions = comparison.folder === undefined ? generateSessions() : readSessions(comparison.folder);
  const { past } = sessions;
  const folder = mkdtempSync(join(tmpdir(), 'benchmark-rivals-'));
  try {
    const service = await measureService(sessions, folder, comparison.durationMs);
    if (comparison.rival === undefined) return { service };
    const lines = past.map(({ session, item, time }) => `${session}\t${item}\t${time}`);
    writeFileSync(join(folder, 'train.txt'), ['SessionId\tItemId\tTime', ...lines, ''].join('\n'));
    writeFileSync(join(folder, 'serenade.toml'), serenadeSettings(serenadePort, join(folder, 'train.txt')));
    return { service, serenade: await measureSerenade(sessions, folder, comparison as Started) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Answered = { lists: { items: { item_id: string }[] }[] };

type Started = Comparison & { rival: string };

async function measureService({ past, questions }: Sessions, dataDir: string, durationMs: number) {
  const service = await startService(dataDir, yaml);
  try {
    const startMs = performance.now();
    const items = [
      ...new Set([...past.map(({ item }) => item), ...questions.flatMap(({ viewed }) => viewed)]),
    ];
    await importRecords(service, 'items', items.length, (i) => ({
      ...{ item_id: String(items[i]), item_type: 'item', title: `Item ${items[i]}` },
    }));
    const latest = past.reduce((time, click) => Math.max(time, click.time), 0);
    const lateBy = Math.floor(Date.now() / 1_000) - 60 - latest;
    await importRecords(service, 'events', past.length, (i) => ({
      event_type: 'detail_pageview',
      device_id: `session-${past[i].session}`,
      page_type: 'detail',
      action_item: String(past[i].item),
      action_item_type: 'item',
      timestamp: past[i].time + lateBy,
    }));
    const importedMs = performance.now();
    await call(service.port, '/configurations', { configuration_id: 'plain' }, service.authorization);
    const ask = async (question: Question) => {
      const answer = (await fetchJson(service.port, requestOf(question, 'asked'))) as Answered;
      return answer.lists[0].items.map(({ item_id: id }) => Number(id));
    };
    await delay(usefulSeconds * 1_000 - (performance.now() - importedMs));
    const { 'Hit@20': soon } = await measureQuality(questions, ask);
    await train(service);
    const readySeconds = (performance.now() - startMs) / 1_000;
    const quality = await measureQuality(questions, ask);
    let asked = 0;
    const next = () => requestOf(questions[asked % questions.length], `load-${asked++}`);
    const pids = pidsOf(service);
    const load = await measureLoad({ port: service.port, next, durationMs, pids });
    return {
      ...quality,
      [`Hit@20 ${usefulSeconds} s after the import`]: soon,
      'import and training s': round(readySeconds),
      ...load,
    };
  } finally {
    await service.stop();
  }
}

/** @param visitor Makes a visitor that the service does not know. */
function requestOf({ session, viewed }: Question, visitor: string): HttpRequest {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const body = {
    device_id: `${visitor}-${session}`,
    page_type: 'detail',
    context_item: String(viewed.at(-1)),
    lists: [{ configuration_id: 'plain', list_name: 'next', list_size: listSize }],
    histories: {
      viewed: viewed.map((item, place) => ({
        ...{
          id: String(item),
          item_type: 'item',
          reconsumable: true,
          timestamp: nowSeconds - 10 * (viewed.length - place),
        },
      })),
    },
  };
  return { method: 'POST', path: `/api/${environment}/recommendations/requests`, body };
}

async function measureSerenade({ questions }: Sessions, folder: string, { rival, durationMs }: Started) {
  const startMs = performance.now();
  const child = spawn(rival, [join(folder, 'serenade.toml')], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  try {
    const clickOf = ({ session, viewed }: Question, pass: string): HttpRequest => ({
      method: 'GET',
      path: `/v1/recommend?session_id=${pass}-${session}&user_consent=true&item_id=${viewed.at(-1)}`,
    });
    while (!(await fetchJson(serenadePort, clickOf(questions[0], 'start')).catch(() => undefined)))
      await delay(10);
    const readySeconds = (performance.now() - startMs) / 1_000;
    const quality = await measureQuality(
      questions,
      (question) => fetchJson(serenadePort, clickOf(question, 'asked')) as Promise<number[]>,
    );
    let asked = 0;
    const next = () => {
      const pass = Math.floor(asked / questions.length);
      return clickOf(questions[asked++ % questions.length], `load-${pass}`);
    };
    const load = await measureLoad({ port: serenadePort, next, durationMs, pids: [child.pid!] });
    return { ...quality, 'import and training s': round(readySeconds), ...load };
  } finally {
    await stopProcess(child);
  }
}

/** Mean reciprocal rank and hits of the next click among the first 20. */
async function measureQuality(
  questions: readonly Question[],
  ask: (question: Question) => Promise<number[]>,
): Promise<Figures> {
  let reciprocal = 0;
  let hits = 0;
  for (const question of questions) {
    const place = (await ask(question)).slice(0, listSize).indexOf(question.next);
    if (place < 0) continue;
    hits++;
    reciprocal += 1 / (place + 1);
  }
  const share = (sum: number) => Math.round((sum / questions.length) * 1_000) / 1_000;
  return { questions: questions.length, 'MRR@20': share(reciprocal), 'Hit@20': share(hits) };
}

async function fetchJson(port: number, { method, path, body }: HttpRequest): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function readSessions(folder: string): Sessions {
  const read = (name: string): Click[] => {
    const bytes = readFileSync(join(folder, 'serenade-sessions', name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    const rows = text.trimEnd().split('\n').slice(1);
    return rows.map((row) => {
      const [session, item, time] = row.split('\t').map(Number);
      return { session, item, time: Math.floor(time) };
    });
  };
  return { past: read('train.txt.gz'), questions: questionsOf(read('test.txt')) };
}

/** Sessions that walk through neighbouring items. */
function generateSessions(): Sessions {
  const chance = createChance('sessions');
  const begin = createZipf(1_000, 5, chance);
  const clicks: Click[] = [];
  for (let session = 1; session <= 2_000; session++) {
    const first = begin();
    const start = Math.floor(chance.fraction() * 30 * daySeconds);
    for (let place = 0; place < 4; place++)
      clicks.push({ session, item: 1 + ((first + chance.whole(0, 20)) % 1_000), time: start + 60 * place });
  }
  const isAsked = ({ session }: Click) => session % 20 === 0;
  return {
    past: clicks.filter((click) => !isAsked(click)),
    questions: questionsOf(clicks.filter(isAsked)),
  };
}

/** One for each click of a session after its first. */
function questionsOf(clicks: readonly Click[]): Question[] {
  const bySession = Map.groupBy(clicks, ({ session }) => session);
  return [...bySession].flatMap(([session, own]) => {
    const items = own.toSorted((one, other) => one.time - other.time).map(({ item }) => item);
    return items.slice(1).map((next, i) => ({ session, viewed: items.slice(0, i + 1), next }));
  });
}
