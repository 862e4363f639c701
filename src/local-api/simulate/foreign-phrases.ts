import type { Sentiment, Topic } from "./topics.ts";

export interface ForeignPhrase {
  readonly text: string;
  readonly topic: Topic | null;
}

/** What people write in other languages, by language (ISO 639-1) and feeling. */
export const FOREIGN_PHRASES: Readonly<
  Record<"de" | "fr" | "es", Readonly<Record<Sentiment, readonly ForeignPhrase[]>>>
> = {
  de: {
    positive: [
      { text: "{brand} war heute schneller als gedacht, danke an den Fahrer!", topic: "Delivery" },
      {
        text: "Muss man auch mal sagen: der Support von {brand} ist richtig nett",
        topic: "Customer service",
      },
      { text: "Seit der neuen Version läuft die App von {brand} endlich rund", topic: "App" },
    ],
    neutral: [
      { text: "Liefert {brand} eigentlich auch nach {city}?", topic: "Delivery" },
      { text: "Hat hier jemand Erfahrung mit {brand}?", topic: null },
      { text: "{brand} kostet ab nächstem Monat {amount}, steht in der Mail", topic: "Pricing" },
    ],
    negative: [
      {
        text: "{brand}: 'Wir haben Sie leider nicht angetroffen'. Ich saß neben der Tür.",
        topic: "Delivery",
      },
      { text: "{minutes} Minuten Warteschleife bei {brand}. Ich gebe auf", topic: "Customer service" },
      { text: "{amount} mehr als letztes Jahr? Nein danke, {brand}", topic: "Pricing" },
      { text: "Die App von {brand} stürzt bei jeder Zahlung ab, bravo", topic: "App" },
    ],
  },
  fr: {
    positive: [
      { text: "Livré avant l'heure par {brand}, rien à dire. Merci !", topic: "Delivery" },
      {
        text: "Le service client de {brand} m'a rappelée en dix minutes, chapeau",
        topic: "Customer service",
      },
    ],
    neutral: [
      { text: "Quelqu'un a déjà testé {brand} à {city} ?", topic: null },
      { text: "{brand} passe à {amount} par mois, si j'ai bien lu", topic: "Pricing" },
    ],
    negative: [
      { text: "Toujours rien de {brand} depuis {days} jours. Et personne ne répond", topic: "Delivery" },
      {
        text: "{brand} : {minutes} minutes d'attente pour s'entendre dire de rappeler demain",
        topic: "Customer service",
      },
      { text: "L'appli {brand} ne s'ouvre plus depuis ce matin. Vous aussi ?", topic: "App" },
    ],
  },
  es: {
    positive: [
      { text: "Muy contenta con {brand}, llegó antes de tiempo", topic: "Delivery" },
      { text: "Bien por {brand}: me devolvieron {amount} sin preguntar", topic: "Pricing" },
    ],
    neutral: [
      { text: "¿Alguien usa {brand} en {city}? ¿Qué tal?", topic: null },
      { text: "¿{brand} entrega los domingos?", topic: "Delivery" },
    ],
    negative: [
      { text: "{days} días esperando a {brand} y ni un mensaje. Increíble", topic: "Delivery" },
      { text: "La app de {brand} me cobra dos veces y soporte no contesta", topic: "App" },
      { text: "{minutes} minutos al teléfono con {brand} para nada", topic: "Customer service" },
    ],
  },
};
