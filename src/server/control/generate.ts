import { hash } from "node:crypto";
import { PROVIDERS, type Provider } from "../../wire/providers.ts";
import { SESSION_ID_PREFIX } from "../../wire/ids.ts";
import { namedUuid } from "./records.ts";
import { userRecordsOf, type SeedUser, type UserRecords } from "../seed/parse.ts";
import type { InstanceRecord } from "../store/records.ts";
import { DEFINITIONS } from "../providers/index.ts";
import { typedPersona, uidOf } from "../simulator/typed-account.ts";

const DOMAINS = ["example.com", "example.net", "example.org"];
const TWO_YEARS_MS = 2 * 365 * 24 * 3_600_000;
/** Of the sessions, this part is revoked. */
const REVOKED = 0.1;

/** Makes users in batches. The same seed and time make the same ones, in one version of svc. */
export function createGenerator(
  { id: instance_id }: InstanceRecord,
  seed: number,
  now: Date,
): (from: number, count: number) => UserRecords {
  const uids = new Set<string>();
  return (from, count) =>
    userRecordsOf(
      Array.from({ length: count }, (_, n) => makeUpUser(from + n)),
      instance_id,
      now,
    );

  function makeUpUser(index: number): SeedUser {
    const name = `${instance_id} ${seed} ${index}`;
    const draw = createDraw(`person ${name}`);
    const person = makeUpPerson(index, draw);
    const age = draw.fraction() * TWO_YEARS_MS;
    const created_at = new Date(now.getTime() - age).toISOString();
    const last_signin_at = new Date(now.getTime() - draw.fraction() * age).toISOString();
    const provider = draw.one(PROVIDERS);
    // Unlike those of another seed in the same instance.
    const email = `${person.login}.${seed}-${index + 1}@${draw.one(DOMAINS)}`;
    const session = {
      id: namedUuid(`session ${name}`),
      session_id: SESSION_ID_PREFIX + namedUuid(`session id ${name}`),
      provider,
      ip_address: [1 + draw.below(126), draw.below(256), draw.below(256), draw.below(256)].join("."),
      geo_data: {},
      logged_in_at: created_at,
      last_signin_at,
      revoked_at: draw.fraction() < REVOKED ? last_signin_at : null,
    };
    return {
      id: namedUuid(`user ${name}`),
      email,
      name: person.name,
      avatar_url: null,
      email_verified_at: DEFINITIONS[provider].verifiesEmail ? created_at : null,
      created_at,
      password_digest: null,
      identities: [{ id: namedUuid(`identity ${name}`), provider, uid: uidFor(provider, email, uids) }],
      sessions: [session],
    };
  }
}

/** The account that the simulator has for the address, so that a sign-in with it is this user's. */
function uidFor(provider: Provider, email: string, taken: Set<string>): string {
  const uid = uidOf(typedPersona({ email, name: null, email_verified: true }).accounts[provider]);
  // In a million of them, two can have the same number.
  const own = uid === undefined || taken.has(`${provider} ${uid}`) ? email : uid;
  taken.add(`${provider} ${own}`);
  return own;
}

/**
 * Names in several scripts, so that an application meets them in a test and not in production first. Given names, and family
 * names: words with a space between them, with the spelling in Latin letters behind a slash. Then their order, if it is not
 * `Ada Lovelace`.
 */
const LANGUAGES: readonly [given: string, family: string, order?: (given: string, family: string) => string][] = [
  [
    "Amelia Aaron Bella Caleb Chloe Daniel Eleanor Ethan Fiona Gavin Hannah Isaac Jasmine Joel Keira Liam Maya Nathan Olivia Owen Priya Quentin Rosa Samuel Tessa Victor Willow Zachary",
    "Adams Baker Bennett Carter Chapman Davies Ellis Fletcher Foster Grant Hughes Iyer Jenkins Khan Lawson Mitchell Newman O'Brien Okafor Palmer Quinn Reyes Shaw Turner Vaughan Watson Young Zhang",
  ],
  [
    "Anke Björn Charlotte Dörte Emil Felix Greta Hannes Ingrid Jonas Käthe Lukas Marlene Nils Ottilie Paul Ronja Sören Theresa Ulrich Vera Wiebke Yannick",
    "Albrecht Böhm Dietrich Engel Fischer Günther Hoffmann Jäger Köhler Lehmann Möller Neumann Otto Pfeiffer Richter Schäfer Seidel Thiele Vogel Weber Winkler Zimmermann",
  ],
  [
    "Αλέξανδρος/alexandros Άννα/anna Βασίλης/vasilis Γιώργος/giorgos Δήμητρα/dimitra Ελένη/eleni Ζωή/zoi Θανάσης/thanasis Ιωάννα/ioanna Κατερίνα/katerina Κώστας/kostas Μαρία/maria Νίκος/nikos Ξένια/xenia Παναγιώτης/panagiotis Σοφία/sofia Σπύρος/spyros Χρήστος/christos",
    "Αντωνίου/antoniou Βλάχος/vlachos Γεωργίου/georgiou Δημητρίου/dimitriou Ζήσης/zisis Ιωάννου/ioannou Καραγιάννης/karagiannis Κωνσταντίνου/konstantinou Λάμπρου/lamprou Μακρής/makris Νικολάου/nikolaou Οικονόμου/oikonomou Παπαδόπουλος/papadopoulos Ρήγας/rigas Σταματίου/stamatiou Χατζής/chatzis",
  ],
  [
    "Adèle Benoît Camille Clément Delphine Élodie Étienne Fabien Gaëlle Hélène Inès Jérôme Léa Loïc Manon Mathéo Noémie Océane Pascal Raphaël Solène Théo Valérie Zoé",
    "Aubert Besson Chevalier Dubois Étienne Fournier Gauthier Hébert Jacquet Lefèvre Lemaître Marchand Moreau Noël Pélissier Périer Renaud Roux Séguin Thévenot Vallée Vidal",
  ],
  [
    "陽菜/hina 結衣/yui 美咲/misaki さくら/sakura 葵/aoi 凛/rin 由美子/yumiko 直子/naoko 蓮/ren 大翔/haruto 悠真/yuma 湊/minato 健太/kenta 翔太/shota 和也/kazuya 誠/makoto",
    "佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 伊藤/ito 渡辺/watanabe 山本/yamamoto 中村/nakamura 小林/kobayashi 加藤/kato 吉田/yoshida 山田/yamada 佐々木/sasaki 松本/matsumoto 井上/inoue 木村/kimura 清水/shimizu 森/mori",
    (given, family) => `${family} ${given}`,
  ],
  [
    "민준/minjun 서준/seojun 도윤/doyun 지호/jiho 현우/hyunwoo 준서/junseo 태민/taemin 성진/seongjin 서연/seoyeon 지우/jiwoo 하은/haeun 수빈/subin 예린/yerin 은지/eunji 나영/nayoung 소희/sohee",
    "김/kim 이/lee 박/park 최/choi 정/jung 강/kang 조/cho 윤/yoon 장/jang 임/lim 한/han 오/oh 서/seo 신/shin 권/kwon 황/hwang 안/ahn 송/song",
    (given, family) => `${family}${given}`,
  ],
  [
    "Александр/aleksandr Анна/anna Борис/boris Вера/vera Григорий/grigory Дарья/darya Евгений/evgeny Екатерина/ekaterina Иван/ivan Ирина/irina Ксения/ksenia Людмила/lyudmila Максим/maksim Наталья/natalya Олег/oleg Павел/pavel Светлана/svetlana Юлия/yulia",
    "Бондаренко/bondarenko Власенко/vlasenko Гончар/gonchar Данилюк/danilyuk Ермоленко/ermolenko Жук/zhuk Иваненко/ivanenko Климович/klimovich Левченко/levchenko Мельник/melnik Назаренко/nazarenko Остапенко/ostapenko Панченко/panchenko Романюк/romanyuk Савчук/savchuk Шевченко/shevchenko Щербак/shcherbak Яковенко/yakovenko",
  ],
  [
    "أحمد/ahmad إبراهيم/ibrahim أمينة/amina جميلة/jamila حسن/hasan خالد/khalid رانيا/rania زينب/zaynab سارة/sara سليم/salim طارق/tariq عائشة/aisha علي/ali فاطمة/fatima كريم/karim ليلى/layla مريم/maryam يوسف/yusuf",
    "الأنصاري/alansari البغدادي/albaghdadi التميمي/altamimi الجابري/aljabri الحداد/alhaddad الخطيب/alkhatib الراشد/alrashid الزهراني/alzahrani السيد/alsayyid الشامي/alshami الصباغ/alsabbagh العطار/alattar الفارسي/alfarsi القاسم/alqasim المصري/almasri النجار/alnajjar",
  ],
];

const TABLES = LANGUAGES.map(([given, family, order = (first, last) => `${first} ${last}`]) => ({
  order,
  given: given.split(" ").map(spellings),
  family: family.split(" ").map(spellings),
}));

function spellings(word: string): { own: string; latin: string } {
  const [own = "", latin] = word.split("/");
  return {
    own,
    latin:
      latin ??
      own
        .normalize("NFD")
        .replaceAll(/[^A-Za-z]/g, "")
        .toLowerCase(),
  };
}

/** Made-up people take turns in their languages. `login` is the name in Latin letters without accents, for an address. */
function makeUpPerson(index: number, draw: Draw): { name: string; login: string } {
  const { order, given, family } = TABLES[index % TABLES.length]!;
  const [first, last] = [draw.one(given), draw.one(family)];
  return { name: order(first.own, last.own), login: `${first.latin}.${last.latin}` };
}

type Draw = ReturnType<typeof createDraw>;

/** Numbers that follow from a name: the same name draws the same ones. Good for some fifteen of them. */
function createDraw(name: string) {
  const bytes = hash("sha512", name, "buffer");
  let drawn = 0;
  const fraction = (): number => bytes.readUInt32BE(4 * drawn++) / 2 ** 32;
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    /** From 0 to below 1. */
    fraction,
    /** From 0 to below a limit. */
    below,
    one: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
  };
}
