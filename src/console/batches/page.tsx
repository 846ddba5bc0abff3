import { Route, Switch } from 'wouter';
import { BatchPage } from './batch-page.tsx';
import { BatchList } from './list.tsx';
import { NewBatch } from './new-batch.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/batches/new">
        <NewBatch />
      </Route>
      <Route path="/:environment/batches/:id">
        {({ id }) => <BatchPage key={id} batchId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <BatchList />
      </Route>
    </Switch>
  );
}
