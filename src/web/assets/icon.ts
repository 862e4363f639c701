/** An ear of two arcs. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4f8f"/><g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M10 15a6.5 6.5 0 0 1 13 0c0 4.500-4.500 5-4.500 8.500a3.500 3.500 0 0 1-6.500 1.500"/><path d="M13.500 15.500a3 3 0 0 1 6 0c0 1.800-2 2.200-2 4"/></g></svg>`;
