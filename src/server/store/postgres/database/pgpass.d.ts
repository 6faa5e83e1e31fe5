declare module "pgpass" {
  interface Server {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string;
  }
  /** Looks into the file of `PGPASSFILE`, or `~/.pgpass`. */
  export default function pgpass(server: Server, found: (password: string | undefined) => void): void;
}
