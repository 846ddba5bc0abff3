/** Tools for shoppers' agents. See Shopping in deployment.proto. */
export type ShoppingSettings = {
  environment: string;
  /** Without a slash at its end. */
  url: string;
  configurationId: string;
  priceProperty: string;
  pageType: string;
};

export type AgentSettings = { shopping?: ShoppingSettings };
