import type pg from "pg";

/** A column of the rows that a statement returns, as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** The type's object id. */
  readonly type: number;
  /** The table and the number of the column that it shows unchanged; 0 for an expression. */
  readonly table: number;
  readonly column: number;
}

/**
 * Has PostgreSQL parse and analyse a statement, and does not run it. Rejects with its error if a table, a column or a
 * type is wrong. Without rows the list is empty.
 */
export function describeStatement(client: pg.Client, text: string): Promise<readonly DescribedColumn[]> {
  return new Promise((resolve, reject) => {
    let columns: readonly DescribedColumn[] = [];
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: "", text, types: [] }, true);
        connection.describe({ type: "S", name: "" }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { readonly fields: readonly WireField[] }) => {
        columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
          name,
          type: dataTypeID,
          table: tableID,
          column: columnID,
        }));
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(columns),
    } as unknown as pg.Submittable);
  });
}

interface WireField {
  readonly name: string;
  readonly dataTypeID: number;
  readonly tableID: number;
  readonly columnID: number;
}
