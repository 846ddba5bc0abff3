/**
 * The plugin that turns `google.api.http` and our options into the HTTP interface: the route table, the list of services,
 * the pages of error reasons and the OpenAPI document. buf runs it over all files at once (`strategy: all`), since routes of two files may conflict.
 */

import { readFileSync } from 'node:fs';
import type { DescEnum, DescService } from '@bufbuild/protobuf';
import { createEcmaScriptPlugin, runNodeJs, type Schema } from '@bufbuild/protoplugin';
import { ErrorReasonSchema } from '../../gen/es/personalisation/rest/v1/error_reason_pb.js';
import { collectRoutes } from './collect-routes.ts';
import { readErrorReasons } from './error-reasons.ts';
import { describeInterface, type Examples } from './openapi.ts';
import { printReasonPages, printRoutes, printServices } from './print.ts';

function errorReasonsOf(schema: Schema): DescEnum {
  const enums = schema.files.flatMap((file) => file.enums);
  return enums.find(({ typeName }) => typeName === ErrorReasonSchema.typeName)!;
}

/** They were recorded by `npm run record:examples`. */
function readExamples(): Examples {
  return JSON.parse(readFileSync(new URL('../../docs/reference/examples.json', import.meta.url), 'utf8'));
}

function generateTs(schema: Schema): void {
  const services: DescService[] = schema.files.flatMap((file) => file.services);
  const routes = collectRoutes(services);
  const table = schema.generateFile('routes.ts');
  table.preamble(services[0].file);
  table.print(printRoutes(routes));
  const list = schema.generateFile('services.ts');
  list.preamble(services[0].file);
  list.print(printServices(services));
  const pages = schema.generateFile('error-reasons.ts');
  pages.preamble(services[0].file);
  pages.print(printReasonPages(readErrorReasons(errorReasonsOf(schema))));
  schema
    .generateFile('openapi.json')
    .print(JSON.stringify(describeInterface(services, routes, readExamples()), undefined, 2));
}

runNodeJs(createEcmaScriptPlugin({ name: 'protoc-gen-rest', version: 'v1', generateTs }));
