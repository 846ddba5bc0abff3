import { Route, Switch } from 'wouter';
import { ItemPage } from './item-page.tsx';
import { CatalogueList } from './list.tsx';

export function Page() {
  return (
    <Switch>
      <Route path="/:environment/catalogue/:type/:id">
        {({ type, id }) => (
          <ItemPage
            key={`${type}/${id}`}
            itemType={decodeURIComponent(type)}
            itemId={decodeURIComponent(id)}
          />
        )}
      </Route>
      <Route>
        <CatalogueList />
      </Route>
    </Switch>
  );
}
