/** Values that functions of the database share with the program. */

/** For so long a repeated event id is recognised. */
export const eventIdDays = 7;

/** SQLSTATE of `store_events`: another transaction stored an event id of the group meanwhile. */
export const storedMeanwhile = 'PE001';

/** Typed queries kept of one subject. */
export const mostTypedQueries = 20;

/** Devices that a user has left and whose events a deletion of the user still finds. */
export const mostPastDevices = 100;
