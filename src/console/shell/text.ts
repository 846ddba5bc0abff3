export const text = {
  notOffered: (page: string, environment: string) => `${page} is not open to this client in ${environment}`,
  notOfferedLead: 'Its scopes do not allow it. Sign in with a client that has more of them.',
  noEnvironment: (name: string) => `There is no environment ${name} that this client may look at`,
  expired: 'Your session has ended. Sign in again.',
  elsewhere: 'Your session had ended. This tab goes on with the one that was begun in another tab.',
  goTo: (name: string) => `Go to ${name}`,
};
