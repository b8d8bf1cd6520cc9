import {marksIn, type Marked} from './marked-requests.ts';

/** What was on the screen, read from frames alone. */
export type SeenOracle = {
	/** A frame that was drawn: its rows, as they look. */
	frame(rows: readonly string[], at: number): void;
	/** The terminal has another size: nothing of what was seen counts. */
	resized(size: {readonly columns: number; readonly rows: number}): void;
	/** A text was opened in the pager. */
	paged(text: string, at: number): void;
	/** Why `asked` could not be allowed by what the screen has shown; `undefined` when it could. `name`: what a tool server is to be called. */
	whyNot(asked: Marked, at: number, name?: string): string | undefined;
};

const restMs = 500;

/** What asks for a key on the last rows of a sheet. */
const questions = [
	'a  allow this one call',
	'a  send these values',
	"type the tool's name",
	'store the rule and allow',
	'deny, and tell the agent why',
	'D again denies',
	'n  give it another name',
	"type the server's name",
	'another name: letters',
];

const installTitle = /^── Install a tool server ── (\S+)/;

/** Knows nothing of the program but how a sheet looks: its title, the choices under a rule, and `server, host` and arguments between them. */
export function createSeenOracle(
	first: {readonly columns: number; readonly rows: number},
	requestOf: (mark: string) => number | undefined,
): SeenOracle {
	let size = first;
	/** When each mark was first seen. */
	let seen = new Map<string, number>();
	let paged = new Map<string, number>();
	/** The request and the question that the screen shows, and since when. */
	let shown:
		| {
				readonly id: number;
				readonly question: string;
				readonly at: number;
				readonly name: string | undefined;
		  }
		| undefined;

	/** The request that the screen said it cannot show all of. */
	let cut: number | undefined;

	const forget = () => {
		seen = new Map();
		shown = undefined;
	};

	const forgetAll = () => {
		forget();
		paged = new Map();
		cut = undefined;
	};

	return {
		frame(rows, at) {
			const title = rows.findIndex(row => row.startsWith('── Approval ') || installTitle.test(row));
			if (title === -1) {
				// A sheet may wait behind the word that there is no room; what was read in the pager was read.
				(size.columns < 60 || size.rows < 16 ? forget : forgetAll)();
				return;
			}

			// A frame of another size is on its way out. The title fills its row, but for blanks at its end.
			if (rows.length !== size.rows || (rows[title] ?? '').length < size.columns - 2) {
				return;
			}

			const name = installTitle.exec(rows[title] ?? '')?.[1];
			const body = rows.slice(title + 1);
			const end = body.findIndex(row => /^ {2}─{20,}/.test(row));
			const question = questions.find(text => body.some(row => row.includes(text))) ?? '';
			const marks = body
				.slice(0, end === -1 ? body.length : end)
				.flatMap(marksIn)
				.filter(mark => requestOf(mark) !== undefined);
			const ids = new Set(marks.map(requestOf));
			const [id = shown?.id] = ids;
			if (id === undefined) {
				// Rows without a mark: nobody knows of whom.
				forget();
				return;
			}

			if (ids.size > 1) {
				throw new Error(`a sheet shows ${ids.size} requests:\n${rows.join('\n')}`);
			}

			// Another name of a server is another question.
			if (shown && (shown.id !== id || shown.name !== name)) {
				forgetAll();
			}

			if (rows.some(row => /e opens all of it|, not all shown/.test(row))) {
				cut = id;
			}

			shown = shown?.question === question ? shown : {id, question, at, name};
			for (const mark of marks) {
				if (!seen.has(mark)) {
					seen.set(mark, at);
				}
			}
		},
		resized(next) {
			// What was read in the pager has no size.
			forget();
			size = next;
		},
		paged(text, at) {
			for (const mark of marksIn(text)) {
				paged.set(mark, at);
			}
		},
		whyNot({id, marks, inArguments}, at, name) {
			if (shown?.id !== id) {
				return 'it is not what the screen shows';
			}

			if (shown.name !== name) {
				return `the screen calls it ${shown.name}`;
			}

			if (at - shown.at < restMs) {
				return `the screen asks for it since ${at - shown.at} ms`;
			}

			const timeOf = (mark: string) =>
				(cut === id && inArguments.has(mark) ? paged.get(mark) : undefined) ?? seen.get(mark);
			const missing = [...marks].filter(mark => timeOf(mark) === undefined);
			if (missing.length > 0) {
				return `${missing.length} of ${marks.size} marks were never on the screen`;
			}

			const last = Math.max(...[...marks].map(mark => timeOf(mark) ?? Infinity));
			return at - last < restMs ? `the last of it came ${at - last} ms ago` : undefined;
		},
	};
}
