export const text = {
  title: 'Access',
  lead: 'Who may call the service: programs with a secret, and web pages with a public write key.',
  create: 'New client',
  kinds: { confidential: 'A program, with a secret', write_key: 'A web page, with a public write key' },
  secretTitle: 'Keep the secret now',
  secretLead: 'It is stored as a hash, and shown this once.',
  keyTitle: 'The write key',
  keyLead: 'It is public: put it into your pages. It sends events, from the origins that you listed.',
  disable: 'Disable',
  disableTitle: (name: string) => `Disable ${name} for good?`,
  disableLead: 'Its tokens stop working within 10 seconds on every node. It cannot be enabled again.',
};

export const areas = [
  'items',
  'configurations',
  'events',
  'recommendations',
  'searches',
  'audiences',
  'metrics',
  'admin',
];
