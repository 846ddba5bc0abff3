/** `personalisation experiments …`: stores, starts and concludes experiments, and reads their results. */

import type { Command } from 'commander';
import type {
  InterleavingPreference,
  MetricDifference,
} from '../../gen/es/personalisation/v1/experiment_pb.js';
import {
  ExperimentService,
  type GetExperimentResultsResponse,
  GetExperimentResultsResponseSchema,
  type ReadExperimentResponse,
  ReadExperimentResponseSchema,
} from '../../gen/es/personalisation/v1/experiment_service_pb.js';
import { httpAction, serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { registerDocuments } from './connection/documents.ts';
import type { Http, HttpOptions } from './connection/http.ts';
import { type EnvironmentOptions, withConnection, withHttp } from './connection/options.ts';
import { type Interval, intervalOf, rounded, withInterval } from './metrics.ts';
import { type Cell, formatTable, print, printMessage } from './output.ts';

type Options = HttpOptions & { environment: string };
type PlanOptions = Options & { metric?: string; effect?: number; traffic?: number };
type ReadOptions = EnvironmentOptions &
  Interval & { dimension?: string; control?: string; confidence?: number; json?: boolean };
type ResultsOptions = EnvironmentOptions & { confidence?: number; json?: boolean };

export function registerExperiments(program: Command): void {
  const command = program.command('experiments').description('experiments and their results');
  registerStored(command);
  registerStates(command);
  inEnvironment(withConnection(command.command('results').argument('<experiment-id>')))
    .description('compare every variant with the control; the intervals are valid at any time')
    .option('--confidence <share>', 'confidence of each interval [0.95]', Number)
    .option('--json', 'print the answer as JSON')
    .action(serviceAction(readResults));
  inEnvironment(withHttp(command.command('plan')))
    .description('print the devices and days that an experiment needs')
    .option('--metric <name>', 'primary metric [click_through_rate]')
    .option('--effect <share>', 'smallest relative change to find [0.05]', Number)
    .option('--traffic <share>', 'share of the devices that takes part [1]', Number)
    .action(
      httpAction(async (http, { environment, metric, effect, traffic }: PlanOptions) => {
        const path = `/${encodeURIComponent(environment)}/experiment-plans`;
        print(JSON.stringify(await http.request('POST', path, { metric, effect, traffic }), null, 2));
      }),
    );
  withInterval(withConnection(command.command('read')))
    .description('the same for versions or user groups of the deployment file')
    .option('--dimension <name>', 'version or user_group [version]')
    .option('--control <name>', 'arm to compare with')
    .option('--confidence <share>', 'confidence of each interval [0.95]', Number)
    .action(serviceAction(readExperiment));
}

const inEnvironment = (command: Command) => command.requiredOption('--environment <name>', 'environment');

function registerStored(command: Command): void {
  inEnvironment(withHttp(command.command('list')))
    .description('print the experiments')
    .action(httpAction(listExperiments));
  const add = (name: string) => inEnvironment(withHttp(command.command(name)));
  registerDocuments(add, { noun: 'an experiment', pathOf });
}

function registerStates(command: Command): void {
  const on = (verb: string) => inEnvironment(withHttp(command.command(verb).argument('<experiment-id>')));
  on('start')
    .description('start an experiment')
    .action(httpAction(changeState('start')));
  on('ramp')
    .description('set the share of the traffic that takes part')
    .requiredOption('--share <share>', 'above 0 to 1', Number)
    .action(httpAction(changeState('ramp')));
  on('stop')
    .description('stop an experiment: no variant is served')
    .action(httpAction(changeState('stop')));
  on('conclude')
    .description('end an experiment; a winner is served to all until the archive')
    .option('--winner <variant>', 'variant that won [none]')
    .action(httpAction(changeState('conclude')));
  on('archive')
    .description('archive an experiment')
    .action(httpAction(changeState('archive')));
}

function pathOf({ environment }: Options, experimentId?: string): string {
  const path = `/${encodeURIComponent(environment)}/experiments`;
  return experimentId === undefined ? path : `${path}/${encodeURIComponent(experimentId)}`;
}

type Stored = { experiment_id: string; state: string; share?: number; winner?: string };

const describe = ({ experiment_id: id, state, share, winner }: Stored): string[] => [
  id,
  state,
  share === undefined ? '' : `${100 * share} %`,
  winner ?? '',
];

async function listExperiments(http: Http, options: Options): Promise<void> {
  const rows: string[][] = [];
  for (let token = ''; ; ) {
    const page = await http.request('GET', `${pathOf(options)}?page_token=${encodeURIComponent(token)}`);
    const { experiments, next_page_token: next } = page as { experiments: Stored[]; next_page_token: string };
    rows.push(...experiments.map(describe));
    if (!next) break;
    token = next;
  }
  process.stdout.write(formatTable(['experiment', 'state', 'share', 'winner'], rows));
}

type StateOptions = Options & { share?: number; winner?: string };

const changeState =
  (verb: string) =>
  async (http: Http, id: string, options: StateOptions): Promise<void> => {
    const { share, winner } = options;
    const body = verb === 'ramp' || verb === 'conclude' ? { share, winner } : undefined;
    const stored = (await http.request('POST', `${pathOf(options, id)}/${verb}`, body)) as Stored;
    print(`${id} is ${stored.state}.`);
  };

async function readResults(
  connection: Connection,
  experimentId: string,
  { environment, confidence, json }: ResultsOptions,
): Promise<void> {
  const request = { environment, experimentId, confidence };
  const answer = await connection.client(ExperimentService).getExperimentResults(request);
  if (json) await printMessage(GetExperimentResultsResponseSchema, answer);
  else
    process.stdout.write(
      answer.preference ? describePreference(answer.preference) : describeExperiment(answer),
    );
}

async function readExperiment(connection: Connection, options: ReadOptions): Promise<void> {
  const { environment, dimension, control, confidence, json } = options;
  const request = { environment, dimension, control, confidence, startTime: intervalOf(options) };
  const answer = await connection.client(ExperimentService).readExperiment(request);
  if (json) await printMessage(ReadExperimentResponseSchema, answer);
  else process.stdout.write(describeExperiment(answer));
}

/** Returns the arms, warnings about their comparison, and a line for each metric and arm. */
function describeExperiment(answer: ReadExperimentResponse | GetExperimentResultsResponse): string {
  const { arms, differences, crossedDeviceCount, sampleRatio } = answer;
  const armRows = arms.map(({ name, deviceCount, declaredShare }) => [
    name,
    deviceCount,
    rounded(declaredShare),
  ]);
  const notes = [
    crossedDeviceCount > 0 ? `${crossedDeviceCount} devices were in several arms and are left out.\n` : '',
    sampleRatio?.mismatch
      ? 'Devices did not arrive in the declared shares: assignment or tracking is broken, trust no difference.\n'
      : '',
  ];
  const heads = ['metric', 'arm', 'control', 'mean', 'difference', 'interval', ''];
  const found = differences.length > 0 ? formatTable(heads, differences.map(differenceRow)) : '';
  return `${formatTable(['arm', 'devices', 'share'], armRows)}${notes.join('')}\n${found}`;
}

/** Returns the devices by the variant whose items they clicked in more lists, and the verdict. */
export function describePreference(preference: InterleavingPreference): string {
  const { controlDeviceCount, variantDeviceCount, tiedDeviceCount, pValue, preferred } = preference;
  const counts = formatTable(
    ['preferred by clicks', 'devices'],
    [
      ['control', controlDeviceCount],
      ['other variant', variantDeviceCount],
      ['neither', tiedDeviceCount],
    ],
  );
  const verdict = preferred === undefined ? 'Not conclusive yet' : `${preferred} is preferred`;
  return `${counts}\n${verdict} (p = ${rounded(pValue)}).\n`;
}

function differenceRow(row: MetricDifference): Cell[] {
  const { metric, arm, controlMean, armMean, relativeDifference: relative, interval, significant } = row;
  return [
    metric,
    arm,
    rounded(controlMean),
    rounded(armMean),
    relative === undefined ? '' : `${(100 * relative).toFixed(1)} %`,
    interval ? `${rounded(interval.low)} … ${rounded(interval.high)}` : 'too few devices',
    significant ? 'significant' : '',
  ];
}
