/** Invented newspapers. */
export const OUTLETS = [
  {
    name: "Northport Courier",
    site: "northport-courier.example",
    monthlyVisitors: 3_200_000,
    reporter: "Helena Brandt",
  },
  {
    name: "The Daily Ledger",
    site: "dailyledger.example",
    monthlyVisitors: 18_500_000,
    reporter: "Marcus Adeyemi",
  },
  {
    name: "Consumer Watch",
    site: "consumerwatch.example",
    monthlyVisitors: 1_400_000,
    reporter: "Lea Fontaine",
  },
  { name: "Tech Kurier", site: "techkurier.example", monthlyVisitors: 900_000, reporter: "Timo Krüger" },
  {
    name: "Harbourtown Echo",
    site: "harbourtown.example",
    monthlyVisitors: 620_000,
    reporter: "Ruth Okonjo",
  },
] as const;
