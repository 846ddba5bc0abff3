/** `personalisation evaluate`: measures how every model and the blend would have ranked the items of later events. */

import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { weightsInService } from '../jobs/evaluation/dataset.ts';
import { evaluate } from '../jobs/evaluation/evaluate.ts';
import {
  type DatasetFiles,
  type FileKind,
  fileKinds,
  type LoadedDataset,
  loadDataset,
} from '../jobs/evaluation/load-dataset.ts';
import { type ProtocolName, type ProtocolOptions, protocolNames } from '../jobs/evaluation/protocols.ts';
import type { EventColumns } from '../jobs/evaluation/readers/delimited-events.ts';
import { toHtml } from '../jobs/evaluation/report.ts';
import { summarise } from '../jobs/evaluation/summary.ts';
import { toTable } from '../jobs/evaluation/table.ts';
import { parseAssignment, parseWhole, splitList } from './arguments.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude } from './connection/outcome.ts';
import { registerEvaluatePolicy } from './evaluate-policy.ts';
import { registerEvaluateSearch } from './evaluate-search.ts';
import { assertWritable } from './files.ts';
import { print, printNote } from './output.ts';
import { readEnvironment } from './read-environment.ts';
import { deploymentOption, readDeployment } from './serve.ts';

type Options = ConnectionOptions & {
  /** Instead of a file: the events and items of a running service. */
  environment?: string;
  /** Source of the event weights. */
  deployment?: string;
  kind: FileKind;
  test?: string;
  protocol: ProtocolName;
  testShare: number;
  rounds: number;
  exclude?: ProtocolOptions['excluded'];
  maxQuestions?: number;
  columns?: EventColumns;
  weights?: DatasetFiles['eventWeights'];
  json?: boolean;
  html?: string;
};

export function registerEvaluate(program: Command): void {
  const command = program.command('evaluate');
  registerEvaluateSearch(command);
  registerEvaluatePolicy(command);
  withConnection(command)
    .description(
      'train on one part of the events, rank all items for the other, and measure every model and the blend',
    )
    .argument('[file]', 'events; unpacked when its name ends in .gz')
    .option('--environment <name>', 'instead of a file: the events and items of this environment')
    .addOption(deploymentOption('with --environment: the deployment file with the event weights'))
    .addOption(
      new Option('--kind <kind>', 'what the file is; events are those of `personalisation export events`')
        .choices(fileKinds)
        .default('events'),
    )
    .option('--test <file>', 'file of the events to predict')
    .addOption(
      new Option('--protocol <name>', 'how events are split, and which are predicted')
        .choices(protocolNames)
        .default('time-split'),
    )
    .option('--test-share <share>', 'last share of the events, which is predicted', parseShare, 0.2)
    .option('--rounds <count>', 'parts of the test time, each after its own training', parseWhole(1, 100), 1)
    .addOption(
      new Option('--exclude <what>', 'items that lists leave out (default: by protocol)').choices([
        'met',
        'last',
        'none',
      ]),
    )
    .option('--max-questions <count>', 'questions of a round, evenly chosen', parseWhole(1, 1e7))
    .option('--columns <names>', 'for --kind columns: subject=…,item=…[,time=…][,eventType=…]', parseColumns)
    .option('--weights <weights>', 'weights of event types: name=number,…', parseWeights)
    .option('--json', 'print one JSON object')
    .option('--html <file>', 'write a report with plots')
    .action((path: string | undefined, options: Options) => conclude(() => run(path, options)));
}

async function run(path: string | undefined, options: Options): Promise<void> {
  if (options.html !== undefined) await assertWritable(options.html, '--html');
  const dataset = await load(path, options);
  const name = path === undefined ? options.environment! : basename(path);
  const evaluation = evaluate({
    dataset,
    protocol: protocolOf(options, dataset.testFromSeconds),
    say: printNote,
  });
  if (options.html !== undefined) await writeFile(options.html, toHtml(name, evaluation));
  const result = options.json
    ? JSON.stringify(summarise(name, options.protocol, evaluation))
    : toTable(evaluation);
  print(result);
}

async function load(path: string | undefined, options: Options): Promise<LoadedDataset> {
  const { environment, kind, columns, test, weights } = options;
  if (path !== undefined && environment === undefined) {
    return loadDataset({ kind, path, columns, testPath: test, eventWeights: weights });
  }
  if (path !== undefined || environment === undefined) {
    throw new Error('Name what to evaluate: a file of events, or --environment NAME.');
  }
  if (test !== undefined) throw new Error('--test needs a file of events.');
  const eventWeights = weights ?? (await weightsIn(options.deployment, environment));
  const { withConnected } = await import('./connection/connect.ts');
  return withConnected(options, (connection) => readEnvironment(connection, { environment, eventWeights }));
}

async function weightsIn(
  path: string | undefined,
  environment: string,
): Promise<DatasetFiles['eventWeights']> {
  if (path === undefined) return weightsInService();
  const settings = (await readDeployment(path)).environments.get(environment);
  if (settings === undefined) throw new Error(`${path} declares no environment ${environment}.`);
  return weightsInService(settings.eventWeights);
}

function protocolOf(options: Options, testFromSeconds: number | undefined): ProtocolOptions {
  const { protocol, testShare, rounds, exclude, maxQuestions } = options;
  if (protocol === 'fixed' && testFromSeconds === undefined) {
    throw new Error('--protocol fixed needs a file of events to predict: add --test FILE.');
  }
  return { protocol, testShare, testFromSeconds, rounds, excluded: exclude, maxQuestions };
}

function parseShare(text: string): number {
  if (Number(text) >= 0.01 && Number(text) <= 0.9) return Number(text);
  throw new InvalidArgumentError('It must be 0.01 to 0.9.');
}

function parseColumns(text: string): EventColumns {
  const columns = Object.fromEntries(splitList(text).map((part) => parseAssignment(part, '--columns')));
  if (columns.subject === undefined || columns.item === undefined) {
    throw new Error(`--columns ${text}: name at least subject=… and item=….`);
  }
  return { subject: columns.subject, item: columns.item, time: columns.time, eventType: columns.eventType };
}

function parseWeights(text: string): Record<string, number> {
  return Object.fromEntries(
    splitList(text).map((part) => {
      const [name, value] = parseAssignment(part, '--weights');
      if (value === '' || Number.isNaN(Number(value)))
        throw new Error(`--weights: ${value} is not a number.`);
      return [name, Number(value)];
    }),
  );
}
