import { Route, Switch } from 'wouter';
import { ExperimentPage } from './experiment-page.tsx';
import { EditExperiment, NewExperiment } from './form.tsx';
import { ExperimentList } from './list.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/experiments/new">
        <NewExperiment />
      </Route>
      <Route path="/:environment/experiments/:id/edit">
        {({ id }) => <EditExperiment key={id} experimentId={id} />}
      </Route>
      <Route path="/:environment/experiments/:id">
        {({ id }) => <ExperimentPage key={id} experimentId={id} />}
      </Route>
      <Route>
        <ExperimentList />
      </Route>
    </Switch>
  );
}
