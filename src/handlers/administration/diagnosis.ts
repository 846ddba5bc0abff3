import { Severity } from '../../../gen/es/personalisation/v1/diagnosis_pb.js';
import { DiagnosisService } from '../../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Diagnosis, Doctor } from '../../jobs/diagnostics/doctor.ts';
import { sumOf } from '../../jobs/diagnostics/examination.ts';
import type { Finding } from '../../jobs/diagnostics/finding.ts';
import { implement } from '../chain/implement.ts';
import type { ItemReplica } from '../items/replica/item-replica.ts';
import { enumValue, timeOf } from '../messages/values.ts';

const defaultHours = 168;

export type DiagnosisHandlersOptions = { doctor: Doctor; deployment: Deployment; replica: ItemReplica };

export function createDiagnosisHandlers({ doctor, deployment, replica }: DiagnosisHandlersOptions) {
  return implement(DiagnosisService, {
    async getDiagnosis({ environment, windowHours, staleAfterHours, notices, eventLimit }) {
      const { itemCount } = replica.catalogOf(environment);
      const diagnosis = await doctor.diagnose({
        settings: deployment.environments.get(environment)!,
        itemCount,
        windowHours: windowHours ?? defaultHours,
        staleAfterHours: staleAfterHours ?? defaultHours,
        eventLimit,
      });
      const isWanted = ({ severity }: Finding) => notices || severity !== 'notice';
      return {
        diagnosis: {
          environment,
          itemCount,
          ...diagnosisMessage(diagnosis),
          findings: diagnosis.findings.filter(isWanted).map(findingMessage),
        },
      };
    },
  });
}

function diagnosisMessage({ startAt, endAt, truncated, counts, catalogueAt, unfinished }: Diagnosis) {
  return {
    startTime: timeOf(startAt),
    endTime: timeOf(endAt),
    truncated,
    eventCount: sumOf(counts, 'count'),
    eventTypes: counts.map(({ eventType, count }) => ({ eventType, count })),
    robotCount: sumOf(counts, 'robots'),
    anonymousCount: sumOf(counts, 'anonymous'),
    withoutUserCount: sumOf(counts, 'withoutUser'),
    catalogueTime: timeOf(catalogueAt),
    unfinishedChecks: unfinished,
  };
}

const findingMessage = (finding: Finding) => ({
  ...finding,
  severity: enumValue(Severity, finding.severity),
});
