import { Route, Switch } from 'wouter';
import { AudiencePage } from './audience-page.tsx';
import { Define } from './define.tsx';
import { AudienceList } from './list.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/audiences/new">
        <Define />
      </Route>
      <Route path="/:environment/audiences/:id">
        {({ id }) => <AudiencePage key={id} audienceId={decodeURIComponent(id)} />}
      </Route>
      <Route>
        <AudienceList />
      </Route>
    </Switch>
  );
}
