/** Known to the run (which makes it) and to the test files (which clone it); they live in different processes. */
export const TEMPLATE = "earshot_template";
