import type { Topic } from "./topics.ts";

/** The posts of one crisis, stage by stage. Words in braces are filled by `fillSlots`. */
export interface Story {
  readonly brand: string;
  readonly topic: Topic;
  readonly hashtag: string;
  /** What it is, in the middle of a sentence. */
  readonly matter: string;
  /** The post that starts it, by an unknown author. */
  readonly witness: string;
  readonly follow: readonly string[];
  readonly reactions: readonly string[];
  readonly journalist: readonly string[];
  readonly headlines: readonly { readonly title: string; readonly snippet: string }[];
  readonly statement: string;
}

export const STORIES: readonly Story[] = [
  {
    brand: "Hearthly",
    topic: "Product safety",
    hashtag: "#HearthlyFire",
    matter: "heaters that catch fire",
    witness:
      "Woke up to smoke. Our Hearthly heater was OFF in the app and its plug was burning. We are fine, the wall is not. If you own one, pull the plug NOW. {hashtag}",
    follow: [
      "To everyone asking: yes it was switched off, yes the fire brigade came, yes we kept the plug. {hashtag}",
      "Hearthly support told me to 'restart the app'. My wall is black. {hashtag}",
    ],
    reactions: [
      "just went round the house and unplugged every Hearthly thing we own {hashtag}",
      "Same model here and the plug has brown marks around the pins. Not sleeping with that in the hall {hashtag}",
      "Our fire officer neighbour says he has seen two of these Hearthly plugs this month. TWO.",
    ],
    journalist: [
      "We've now spoken to four households with burnt Hearthly plugs, all the same model, all switched off in the app. Hearthly has not answered our questions yet. Thread.",
      "Do you own a Hearthly heater with a damaged plug? My messages are open.",
    ],
    headlines: [
      {
        title: "Families told to unplug Hearthly heaters after plugs catch fire",
        snippet:
          "Fire services have asked owners of Hearthly smart heaters to unplug the devices after several reports of burning plugs. The company has not yet commented on the cause.",
      },
      {
        title: "Hearthly under pressure as reports of burning plugs spread",
        snippet:
          "Photographs of scorched sockets are being shared widely. Consumer groups call for an immediate recall of the affected Hearthly heaters.",
      },
    ],
    statement:
      "We have seen the reports about heater plugs. Please unplug your Hearthly heater until we know more. A free replacement is on its way to everyone with the affected model, and we will update you here.",
  },
  {
    brand: "Lumabox",
    topic: "Product safety",
    hashtag: "#LumaboxRecall",
    matter: "boxes that make people ill",
    witness:
      "All four of us ill since last night, and so are the neighbours who had the same Lumabox chicken. The kids are in hospital on a drip. Please check your fridge. {hashtag}",
    follow: [
      "Doctors asked for the packaging. It was inside its date. Lumabox hotline: 'all agents are busy'. {hashtag}",
      "Thank you for the kind messages. Kids are stable. Still nothing from Lumabox. {hashtag}",
    ],
    reactions: [
      "we had the lemon chicken on tuesday and spent wednesday on the bathroom floor, thought it was a bug {hashtag}",
      "Threw this week's Lumabox straight in the bin. Not taking that risk with a toddler",
      "My sister's whole office ordered that box. Half of them are off sick today {hashtag}",
    ],
    journalist: [
      "Health officials confirm to me that they are looking into 'a cluster of cases' linked to one Lumabox kitchen. No recall so far. More soon.",
      "If you fell ill after a Lumabox chicken dish this week I'd like to hear from you.",
    ],
    headlines: [
      {
        title: "Health officials examine illness cluster linked to Lumabox meal kits",
        snippet:
          "At least a dozen people, among them children, fell ill after eating a chicken dish from the meal kit company Lumabox. Officials have taken samples at one of its kitchens.",
      },
      {
        title: "Lumabox silent as customers report food poisoning",
        snippet:
          "Hundreds of posts describe the same symptoms after the same dish. Lumabox shares the phrase 'looking into it' and little else.",
      },
    ],
    statement:
      "We are recalling all chicken dishes delivered since Monday. Please do not eat them. You get your money back without asking, and our founder will answer your questions here this evening.",
  },
  {
    brand: "Parcelwing",
    topic: "Customer service",
    hashtag: "#ParcelwingDump",
    matter: "parcels thrown away in a wood",
    witness:
      "Walking the dog and found hundreds of Parcelwing parcels dumped in the wood behind the ring road. Names, addresses, everything. Some say 'delivered' in the tracking. Video below {hashtag}",
    follow: [
      "Found a parcel for my own street in there. For a hospital as well. {hashtag}",
      "Parcelwing asked me to 'bring them to the nearest pickup point'. All four hundred of them. {hashtag}",
    ],
    reactions: [
      "So THAT is where my mother's medication went. 'Delivered to a safe place', was it @{handle}? {hashtag}",
      "my name and address are lying in a forest because Parcelwing couldn't be bothered {hashtag}",
      "Former driver here: they give you 190 stops in eight hours. This was always going to happen {hashtag}",
    ],
    journalist: [
      "I'm at the site. Police are counting: more than 400 Parcelwing parcels, many opened. Two drivers tell me about routes nobody can finish.",
      "Parcelwing's regulator says it was not informed. It learned about the dumped parcels from the video, like the rest of us.",
    ],
    headlines: [
      {
        title: "Hundreds of Parcelwing parcels found dumped in woodland",
        snippet:
          "Police were called after a walker filmed a heap of parcels, many marked as delivered. Customers' names and addresses were readable.",
      },
      {
        title: "Regulator demands answers from Parcelwing over dumped parcels",
        snippet:
          "The postal regulator has given Parcelwing until the end of the week to explain how more than 400 parcels ended up in a wood.",
      },
    ],
    statement:
      "What the video shows is not acceptable. We have stopped work with the contractor, we are collecting every parcel and we will call each of you whose parcel was among them by tomorrow.",
  },
  {
    brand: "Velorra",
    topic: "Product safety",
    hashtag: "#VelorraBrakes",
    matter: "brakes that lock up",
    witness:
      "My Velorra's front brake locked at 25 km/h on the way to nursery. Broken collarbone, kid thank god only scratched. The shop says it is 'a known thing'. KNOWN? {hashtag}",
    follow: [
      "The shop showed me the internal note about the brake. It is dated last spring. Photo attached. {hashtag}",
      "Velorra wants me to sign something before they pay for a helmet. A helmet. {hashtag}",
    ],
    reactions: [
      "Mine did that twice on the bridge this week, I thought it was the rain {hashtag}",
      "Parking the cargo bike until Velorra says something. Walking with three kids it is",
      "bike mechanic here. we have had eleven of these Velorra calipers since summer. eleven. {hashtag}",
    ],
    journalist: [
      "I have seen the document: Velorra knew of locking front brakes in March and changed the part for new bikes only.",
      "Velorra declined to say how many City 2 bikes are on the road. Dealers tell me: about 30,000.",
    ],
    headlines: [
      {
        title: "E-bike maker Velorra knew of brake fault for months, document suggests",
        snippet:
          "An internal note describes front brakes that can lock while riding. Bikes sold before were not called back, according to dealers.",
      },
      {
        title: "Calls for recall of Velorra City 2 after brake accidents",
        snippet:
          "Riders report falls after the front brake locked without warning. A cycling association advises against riding the model.",
      },
    ],
    statement:
      "Please do not ride your City 2 until its front brake has been checked. Every dealer does this free of charge from today, and we lend you a bike for as long as it takes. We should have told you sooner.",
  },
];

/** Said in any crisis, once it is known. */
export const CRISIS_REACTIONS: readonly string[] = [
  "{brand}: {matter}. And still advertising on my timeline {hashtag}",
  "How is {brand} STILL silent about this? {hashtag}",
  "Cancelled everything with {brand}. {hashtag}",
  "Hope everyone is okay. {brand} you need to say something, now",
  "@{handle} hello? people are asking you a very simple question {hashtag}",
  "Read the {brand} thread and felt sick. How does that get through any check",
  "Bought from {brand} {when}. Can I have my money back before the lawyers do {hashtag}",
  "not one word from {brand}. not one. {hashtag}",
  "If {brand} knew about this they should be in court, not on a billboard {hashtag}",
  "The reason I never trusted {brand}, exhibit A: {matter}",
  "whoever runs social at {brand} tonight: good luck, you'll need it {hashtag}",
  "Sharing because half of {city} has {brand} at home {hashtag}",
  "Can somebody from {brand} confirm or deny? My parents use it and won't read this {hashtag}",
  "the replies under that {brand} post. it's everywhere. {hashtag}",
  "I defended {brand} for years. That's over {hashtag}",
  "{brand} stock is going to have a fun morning",
  "This is what happens when you fire the whole quality team @{handle}",
  "Wow. {brand}. Wow. {hashtag}",
  "Called {brand}: {minutes} minutes, then the line went dead {hashtag}",
  "Is this {brand} thing real? Genuinely worried now",
  "refund. now. @{handle} {hashtag}",
  "Every friend I warned about {brand} owes me an apology",
  "My neighbour works for {brand}. Says nobody there is surprised {hashtag}",
  "{brand} has deleted my comment. Screenshots exist {hashtag}",
  "for the people asking for sources: scroll up, there are hundreds {hashtag}",
  "Kids in bed, now going through everything {brand} we own",
  "I work in retail in {city} and we've just taken {brand} off the shelves {hashtag}",
  "The worst part is that you can see {brand} reading this and saying nothing",
  "Where is the regulator on {brand}? Asleep? {hashtag}",
  "day {days} of me telling people about {brand}, now you listen",
  "Whole of {city} is talking about {brand} tonight",
  "{brand}'s pinned post is still a competition. A COMPETITION {hashtag}",
  "Someone at {brand} approved this. Name them {hashtag}",
  "If this had been a small firm it'd be shut by morning, but it's {brand}",
  "My gran has one. She's 84. @{handle} who is going to tell her?",
  "{brand} chat says I'm number {battery} in the queue {hashtag}",
];

/** Said once the company has spoken. */
export const CRISIS_AFTERMATH: readonly {
  readonly text: string;
  readonly sentiment: "positive" | "neutral" | "negative";
}[] = [
  { text: "{brand} finally said something. Took them long enough {hashtag}", sentiment: "negative" },
  { text: "Credit to {brand} for a clear statement. Now do it", sentiment: "positive" },
  { text: "Is the {brand} replacement form working for anyone? Just spins here", sentiment: "neutral" },
  { text: "{brand} statement: lawyers 1, humans 0 {hashtag}", sentiment: "negative" },
  { text: "Got a call from {brand} within the hour, very decent actually {hashtag}", sentiment: "positive" },
  {
    text: "For those who missed it: {brand} has put up a statement, link on their page",
    sentiment: "neutral",
  },
  { text: "Too late, {brand}. Much too late {hashtag}", sentiment: "negative" },
  { text: "How do I find out if mine is affected? The {brand} site is down", sentiment: "neutral" },
];
