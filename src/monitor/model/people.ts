/** The receiver of what users of the console get: each message names its address. No receiver of the configuration is called so. */
export const PEOPLE = "(people)";
