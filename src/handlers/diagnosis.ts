/** The integration doctor's operation. */

import { DiagnosisService } from '../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { implement } from './implement.ts';

export function createDiagnosisHandlers() {
  return implement(DiagnosisService, {});
}
