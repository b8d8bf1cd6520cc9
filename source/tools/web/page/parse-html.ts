import {Tokenizer} from 'htmlparser2';

/** An element of a page, reduced to what reading needs. */
export type Element = {
	readonly name: string;
	readonly attributes: ReadonlyMap<string, string>;
	readonly children: Array<Element | string>;
};

/** Its child elements, without texts. */
export const elementsOf = ({children}: Element): readonly Element[] =>
	children.filter(child => typeof child !== 'string');

/** Splits names separated by blanks. */
export const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** As in browsers, deeper elements become siblings. */
const maxDepth = 512;

/** The most elements of a page; tags of further ones are dropped, their text is kept. */
const maxElements = 100_000;

/** UTF-16 units of one attribute. */
const maxAttributeLength = 4096;

/** The attributes that concern the text. */
const kept = setOf(
	'alt aria-hidden class content datetime hidden href name open property role start style type',
);

const empty = setOf(
	'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
);

/** Elements that form blocks. The end tag of any other element ends no block. */
export const blocks = setOf(
	'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol optgroup option p pre search section select summary table tbody td tfoot th thead tr ul',
);

const endsParagraph = blocks.difference(setOf('body html option optgroup select'));

/** Stands for all of `blocks`: an element counts both under this name and its own. */
const anyBlock = setOf('(block)');

/** The innermost of `ends`, unless one of `within` lies between. */
type Ends = {readonly ends: ReadonlySet<string>; readonly within: ReadonlySet<string>};

const endsOf = (names: string, within: string): Ends => ({
	ends: setOf(names),
	within: setOf(within),
});

const term = endsOf('dt dd', 'dl td th');
const cell = endsOf('td th', 'tr table');
const rows = endsOf('thead tbody tfoot caption', 'table');

/** Elements that are closed by the start of another. @see HTML §13.1.2.4 */
const impliedEnds: Readonly<Record<string, Ends>> = {
	li: endsOf('li', 'ul ol menu dir td th'),
	dt: term,
	dd: term,
	td: cell,
	th: cell,
	tr: endsOf('tr caption', 'table'),
	thead: rows,
	tbody: rows,
	tfoot: rows,
	option: endsOf('option', 'select'),
	a: {ends: setOf('a'), within: anyBlock},
};

const paragraphEnd = endsOf('p', 'td th caption table li button');

const cells = setOf('td th caption');
const tableParts = setOf('table tbody thead tfoot tr td th caption');
const nothing: ReadonlySet<string> = new Set();
const foreign = setOf('svg math');

const namesOf = ({name}: Element): Iterable<string> =>
	blocks.has(name) ? [name, ...anyBlock] : [name];

/**
 * Parses a page to a tree, however broken it is: time and memory are linear in its length, depth and number of elements bounded. Unlike browsers, does not reopen
 * formatting elements after a missing end tag.
 */
export function parseHtml(html: string): Element {
	const root: Element = {name: '', attributes: new Map(), children: []};
	const open: Element[] = [root];
	/** The positions of open elements by name: searching all for each tag would cost 512 steps per tag on a hostile page. */
	const places = new Map<string, number[]>();
	let count = 0;
	/** How many start tags were dropped, whose end tags must be ignored. */
	let leftOut = 0;
	/** Text not yet in the tree: `text`, then the page from `from` to `to`. */
	let text = '';
	let from = 0;
	let to = 0;
	let opening: {readonly name: string; readonly attributes: Map<string, string>} | undefined;
	let attribute = '';
	let value = '';

	const flush = () => {
		const whole = text + html.slice(from, to);
		if (whole !== '') {
			(open.at(-1) ?? root).children.push(whole);
		}

		text = '';
		from = to;
	};

	const addText = (start: number, end: number) => {
		if (start !== to) {
			text += html.slice(from, to);
			from = start;
		}

		to = end;
	};

	/** The position of the innermost open element of `names`, else 0. */
	const innermost = (names: ReadonlySet<string>): number =>
		Math.max(0, ...names.values().map(name => places.get(name)?.at(-1) ?? 0));

	const push = (element: Element) => {
		for (const name of namesOf(element)) {
			const own = places.get(name) ?? [];
			own.push(open.length);
			places.set(name, own);
		}

		open.push(element);
	};

	/** Closes the element at `at` and all within it. */
	const cut = (at: number) => {
		for (const element of open.splice(at)) {
			for (const name of namesOf(element)) {
				places.get(name)?.pop();
			}
		}
	};

	/** Closes the innermost of `ends` and all within it, unless one of `within` is between. */
	const end = ({ends, within}: Ends) => {
		const at = innermost(ends);
		if (at > 0 && at >= innermost(within)) {
			cut(at);
		}
	};

	const begin = (name: string, attributes: ReadonlyMap<string, string>) => {
		if (count >= maxElements || open.length >= maxDepth) {
			leftOut += empty.has(name) ? 0 : 1;
			return;
		}

		const implied = impliedEnds[name];
		if (endsParagraph.has(name)) {
			end(paragraphEnd);
		}

		if (implied) {
			end(implied);
		}

		count += 1;
		const element: Element = {name, attributes, children: []};
		(open.at(-1) ?? root).children.push(element);
		if (!empty.has(name)) {
			push(element);
		}
	};

	const isForeign = () => innermost(foreign) > 0;

	const finishTag = (isSelfClosing: boolean) => {
		if (opening) {
			flush();
			begin(opening.name, opening.attributes);
			if (isSelfClosing && open.at(-1)?.name === opening.name && isForeign()) {
				cut(open.length - 1);
			}
		}

		opening = undefined;
	};

	const tokenizer = new Tokenizer(
		{},
		{
			onopentagname(start, endIndex) {
				opening = {name: html.slice(start, endIndex).toLowerCase(), attributes: new Map()};
			},
			onattribname(start, endIndex) {
				attribute = endIndex - start > 32 ? '' : html.slice(start, endIndex).toLowerCase();
				value = '';
			},
			onattribdata(start, endIndex) {
				value += html.slice(start, Math.min(endIndex, start + maxAttributeLength - value.length));
			},
			onattribentity(codePoint) {
				value += value.length < maxAttributeLength ? characterOf(codePoint) : '';
			},
			onattribend() {
				if (kept.has(attribute) && opening?.attributes.has(attribute) === false) {
					opening.attributes.set(attribute, value);
				}
			},
			onopentagend: () => finishTag(false),
			onselfclosingtag: () => finishTag(true),
			onclosetag(start, endIndex) {
				flush();
				const name = html.slice(start, endIndex).toLowerCase();
				if (name === 'br') {
					begin(name, new Map());
				} else if (leftOut > 0) {
					leftOut -= 1;
				} else {
					const within = tableParts.has(name) ? nothing : blocks.has(name) ? cells : anyBlock;
					end({ends: new Set([name]), within});
				}
			},
			ontext: addText,
			ontextentity(codePoint, endIndex) {
				text += html.slice(from, to) + characterOf(codePoint);
				from = endIndex;
				to = endIndex;
			},
			oncdata() {},
			oncomment() {},
			ondeclaration() {},
			onprocessinginstruction() {},
			onend: flush,
			isInForeignContext: isForeign,
		},
	);
	tokenizer.write(html);
	tokenizer.end();
	return root;
}

/** Invalid code points become U+FFFD. */
const characterOf = (codePoint: number): string =>
	codePoint > 0x10_ff_ff || (codePoint >= 0xd8_00 && codePoint <= 0xdf_ff)
		? '\ufffd'
		: String.fromCodePoint(codePoint);
