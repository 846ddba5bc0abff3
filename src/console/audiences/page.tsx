import { Route, Switch } from 'wouter';
import { AudiencePage } from './audience-page.tsx';
import { AudienceList } from './list.tsx';
import { NewAudience } from './new-audience.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/audiences/new">
        <NewAudience />
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
