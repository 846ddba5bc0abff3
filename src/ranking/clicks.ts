/** How the type of every click ends: on what was recommended, found or sent. Its impressions' type begins alike. */
export const clickSuffix = 'click_on_recommendation';

export const isClick = (eventType: string): boolean => eventType.endsWith(clickSuffix);
