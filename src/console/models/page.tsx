import { Route, Switch } from 'wouter';
import { TrainingList } from './list.tsx';
import { TrainingPage } from './training-page.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/models/:id">
        {({ id }) => <TrainingPage key={id} trainingId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <TrainingList />
      </Route>
    </Switch>
  );
}
