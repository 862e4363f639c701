import type { Topic } from "./topics.ts";

/** An invented company, and the words of which posts about it are made. */
export interface Brand {
  readonly name: string;
  readonly handle: string;
  /** Mentions in an hour of average liveliness. */
  readonly perHour: number;
  /** When people speak of it: peaks over the day, in hours UTC, and how lively a weekend is compared with a workday. */
  readonly rhythm: {
    readonly bumps: readonly { at: number; width: number; height: number }[];
    readonly weekend: number;
  };
  readonly products: readonly string[];
  /** Its products are other people's things, so no post praises or prices them. */
  readonly isCarrier: boolean;
  /** "… found {hazard}", "worried about {hazard}". */
  readonly hazards: readonly string[];
  readonly topics: readonly (readonly [Topic | "General", number])[];
  readonly subreddit: string;
}

export const BRANDS: readonly Brand[] = [
  {
    name: "Parcelwing",
    handle: "parcelwing",
    perHour: 46,
    rhythm: {
      bumps: [
        { at: 9.5, width: 2.5, height: 1.2 },
        { at: 16, width: 3, height: 1.3 },
      ],
      weekend: 0.45,
    },
    products: ["my parcel", "the parcel", "my new desk lamp", "a birthday present", "the return", "my order"],
    isCarrier: true,
    hazards: [
      "a van doing 50 past the school gate",
      "a parcel leaking something that smelled like solvent",
      "a driver reversing without looking",
      "broken glass falling out of the box",
    ],
    topics: [
      ["Delivery", 50],
      ["Customer service", 18],
      ["App", 12],
      ["Pricing", 8],
      ["Product safety", 3],
      ["General", 9],
    ],
    subreddit: "parcels",
  },
  {
    name: "Lumabox",
    handle: "lumabox",
    perHour: 30,
    rhythm: {
      bumps: [
        { at: 12, width: 1.5, height: 0.7 },
        { at: 18.5, width: 2, height: 1.9 },
      ],
      weekend: 1.1,
    },
    products: ["the veggie box", "the family box", "the lemon chicken", "the ramen kit", "this week's box"],
    isCarrier: false,
    hazards: [
      "a piece of blue plastic in the rice",
      "chicken two days past its date",
      "an allergen that isn't on the label",
      "a broken ice pack all over the salad",
    ],
    topics: [
      ["General", 26],
      ["Delivery", 22],
      ["Pricing", 18],
      ["Customer service", 14],
      ["App", 12],
      ["Product safety", 8],
    ],
    subreddit: "mealkits",
  },
  {
    name: "Hearthly",
    handle: "hearthly_home",
    perHour: 22,
    rhythm: {
      bumps: [
        { at: 7.5, width: 1.5, height: 0.6 },
        { at: 20, width: 2.5, height: 1.7 },
      ],
      weekend: 1.25,
    },
    products: ["the smart heater", "the smart plug", "the thermostat", "the hallway panel", "the hub"],
    isCarrier: false,
    hazards: [
      "the plug getting too hot to touch",
      "a burning smell from the heater",
      "the thermostat jumping to 30 degrees at night",
      "a crack next to the cable",
    ],
    topics: [
      ["App", 30],
      ["General", 22],
      ["Customer service", 16],
      ["Pricing", 14],
      ["Delivery", 10],
      ["Product safety", 8],
    ],
    subreddit: "smarthome",
  },
  {
    name: "Velorra",
    handle: "ridevelorra",
    perHour: 15,
    rhythm: {
      bumps: [
        { at: 7.5, width: 1.2, height: 1.5 },
        { at: 17, width: 1.5, height: 1.6 },
      ],
      weekend: 1.4,
    },
    products: ["my bike", "the City 2", "the e-bike", "the cargo bike", "the new battery"],
    isCarrier: false,
    hazards: [
      "the front brake locking up",
      "the battery getting really hot while charging",
      "a hairline crack in the frame",
      "the motor pushing on after I stopped pedalling",
    ],
    topics: [
      ["General", 34],
      ["Customer service", 18],
      ["Pricing", 16],
      ["App", 12],
      ["Product safety", 11],
      ["Delivery", 9],
    ],
    subreddit: "ebikes",
  },
];
