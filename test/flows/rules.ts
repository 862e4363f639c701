/** Rules that the stories share. */
export const VERIFIED = `
description: A verified author is unhappy.
severity: warning
when: { sentiment: negative, verified: true }
over: { after: 30m }
`;

export const NEGATIVE = `
description: Somebody is unhappy.
severity: info
when: { sentiment: negative }
over: { after: 20m }
`;

export const CROWD = `
description: Many people speak at once.
severity: warning
volume: { atLeast: 10, within: 15m }
`;

export const CRISIS_SPIKE = `
description: Far more negative mentions than usual.
severity: critical
when: { sentiment: negative }
spike: { atLeast: 15 }
`;

export const RECALL = `
description: The word that nobody sleeps through.
severity: critical
when: { keyword: recall }
over: { after: 20m }
`;
