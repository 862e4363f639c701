import type { Sentiment, Topic } from "./topics.ts";

/**
 * What people write, by what it is about and how they feel. Words in braces are filled by `fillSlots`; `[a|b|]`
 * takes one of the choices, the empty one included.
 */
export const PHRASES: Readonly<Record<Topic | "General", Readonly<Record<Sentiment, readonly string[]>>>> = {
  Delivery: {
    positive: [
      "{product} from {brand} came a day early[, and the driver waved|, no drama|]. More of this please",
      "[Shout-out to|Big thanks to] the {brand} driver in {city} who carried {product} up four floors",
      "ordered {when}, {brand} had {product} at my door before {time}. impressed",
      "{brand} put {product} in the dry spot behind the bins because it was raining. Small thing, made my day",
      "Third order in a row that {brand} gets here inside the slot. [Didn't expect to write that|Credit where it's due]",
      "Say what you like, {brand} delivery in {city} is the one thing that works right now",
    ],
    neutral: [
      "Does {brand} deliver on Sundays in {city}? Can't find it on the site",
      "{product} with {brand}: status 'in transit' since {when}. Normal?",
      "Anyone know if {brand} leaves things with neighbours by default",
      "{brand} slot says between {time} and whenever, guess I'm working from home",
      "New {brand} pickup point opened in {city}, next to the station",
      "Switching {product} to {brand} pickup this time, will report back",
    ],
    negative: [
      "{brand} says {product} was 'delivered'. It was not. There is nobody called Steve in this house",
      "Waited in all day for {brand}. {time}: 'we missed you'. You did not even ring",
      "Day {days} of waiting for {product}. @{handle} is there anybody out there?",
      "{brand} threw {product} over the gate[ into a puddle|]. In {city}. In this weather",
      "{product} has now visited {city} depot twice, which is more than I have this year. Come on {brand}",
      "why does {brand} offer a delivery slot if nobody is going to look at it",
      "So {brand} delivered {product} to a completely different street and support says it's 'resolved'",
    ],
  },
  "Customer service": {
    positive: [
      "Just had the nicest chat with {agent} at {brand}[, problem gone in five minutes|]. Give them a raise",
      "{brand} support replaced {product} without a single awkward question",
      "I complained about {brand} last week, so fair's fair: they called back, said sorry and fixed it",
      "Whoever answers the @{handle} account at {time} deserves a holiday",
      "{agent} from {brand} stayed on the line for {minutes} minutes until it worked. Thank you!",
    ],
    neutral: [
      "What's the best way to reach {brand}? Phone, chat, carrier pigeon?",
      "@{handle} sent you a DM about {product}",
      "{brand} support hours changed again: weekdays from 8, in case anyone else was wondering",
      "Has anyone got a reply from {brand} by email lately or is chat quicker",
      "@{handle} order number is in your inbox, happy to wait",
    ],
    negative: [
      "{minutes} minutes on hold with {brand} and counting. The music is a crime",
      "The {brand} chatbot just wished me a nice day and closed my complaint[. Twice|]",
      "{brand} support: 'please allow {days} working days'. For an answer. To a yes or no question.",
      "Explained the problem with {product} to {brand} four times to four people. Starting to forget it myself",
      "@{handle} your reply is a copy of the reply I replied to",
      "No refund, no call back, no nothing from {brand} since {when}. Where do I complain about the complaints team",
      "I've had more useful conversations with my toaster than with {brand} customer service",
    ],
  },
  Pricing: {
    positive: [
      "{brand} knocked {amount} off {product} because I asked nicely. Always ask nicely",
      "With the code {product} is {amount} cheaper at {brand}. Can't argue with that",
      "Did the sums and {brand} is actually the cheapest for us[ this month|], who knew",
      "{brand} refunded the difference when {product} went on sale a day later. Class",
      "Half price {product} at {brand} until Sunday[, you're welcome|]",
    ],
    neutral: [
      "{brand} moving to a {amount} subscription from next month, says the email",
      "Is the {brand} student discount still a thing?",
      "How much did you lot pay for {product} at {brand}? Seeing {amount} here",
      "Comparing {brand} with two others for {product}. Prices all over the place",
      "{brand} price list for {city} changed {when}, nothing dramatic",
    ],
    negative: [
      "{amount} for {product}?? {brand} have lost it",
      "{brand} quietly put the price up by {amount}. Same box, fewer things in it",
      "Cancelled {brand}, still charged {amount}. Funny how that part always works",
      "So the 'free' trial at {brand} costs {amount}. Read the small print, people",
      "Used to recommend {brand} to everyone. At {amount} more than last year, I don't",
      "{brand} 'loyalty price' is {amount} above what new customers pay. Loyalty to whom?",
    ],
  },
  App: {
    positive: [
      "The new {brand} app is [so much better|actually good now]. Dark mode! Finally!",
      "{brand} fixed the thing where the app logged me out every morning. Bless them",
      "Setting up {product} in the {brand} app took two minutes. My dad could do it (he did)",
      "Live map in the {brand} app is oddly relaxing to watch",
    ],
    neutral: [
      "{brand} app update is out, changelog says 'improvements'. Helpful",
      "Can you have two accounts in the {brand} app? Asking for my flat",
      "Which version of the {brand} app has the widget? I'm on 6.{days}",
      "{brand} app wants a new permission since {when}, anyone know what for",
      "Beta of the {brand} app rolling out in {city} it seems",
    ],
    negative: [
      "{brand} app logged me out again and the code never arrives. Third time since {when}",
      "Every update of the {brand} app hides the one button I need a bit better",
      "{brand} app: 'something went wrong'. Yes. You.",
      "Can't open the {brand} app in {city} [since {time}|this morning]. Is it just me?",
      "The {brand} app ate {battery}% of my battery today, doing what exactly",
      "One star for the {brand} app because zero isn't an option. Crashes on every payment",
    ],
  },
  "Product safety": {
    positive: [
      "{brand} recalled one batch, told everyone the same day and paid for the return. That's how you do it",
      "Was worried about {hazard}. {brand} sent someone out the next morning to check. All fine",
      "Good to see {brand} publish the safety tests for {product}",
    ],
    neutral: [
      "Anybody else noticed {hazard}, or did I just get unlucky with {brand}?",
      "Does {brand} have a safety sheet for {product}? Need it for the landlord",
      "{brand} asks everyone with {product} to check the batch number, details on their site",
    ],
    negative: [
      "Not happy: {hazard}. This is {brand} we're talking about, not some no-name",
      "Reported {hazard} to {brand} {when}. No answer. That should worry them more than me",
      "{hazard}. With kids in the house. @{handle} please take this seriously",
      "Second time now: {hazard}. Sending everything back to {brand}",
    ],
  },
  General: {
    positive: [
      "Honestly? Love {product}. {brand} got this one right",
      "{brand} just keeps getting better[, don't tell them I said that|]",
      "Six months with {product} and I'd buy it from {brand} again tomorrow",
      "My mum, who hates everything, likes {product}. Well done {brand}",
      "A rare good surprise this week: {brand}",
      "{product} + Sunday + no plans = happy. Thanks {brand}",
      "Got {product} for the office. {brand} converts: 4 so far",
    ],
    neutral: [
      "Thinking about {product} from {brand}. Yes or no?",
      "{brand} opens a new place in {city}, says a poster at the bus stop",
      "Saw a {brand} ad with a talking otter. No further comment",
      "Anyone in {city} using {brand}? What's it like",
      "{brand} is hiring in {city} again",
      "Day {days} with {product}. So far so {brand}",
      "Listening to a podcast and the {brand} ad comes on three times. In one episode",
    ],
    negative: [
      "I wanted to like {product}, I really did. Sorry {brand}",
      "{brand} used to be good. What happened",
      "{product} lasted {days} weeks. {brand} calls that normal wear",
      "Muting every {brand} ad from here on. Enough",
      "Would not recommend {brand}. That's it, that's the post",
    ],
  },
};
