import {stemmer} from 'stemmer';

/** Stop words: they do not describe what a tool does. */
const stopWords: ReadonlySet<string> = new Set(
	`a about all also am an and any are as at be been being but by can could did do does doing done for from had has have having
	he her here hers him his how i if in into is it its just let like may me might mine more most my need needs no not now of on or our ours
	out over own please shall she should so some somebody someone something such than that the their theirs them then there these they this those to too tool tools
	up us use used uses using very via want wants was we were what when where whether which while who whom whose why will with would
	you your yours mcp`
		.trim()
		.split(/\s+/),
);

/** Words with about the same meaning in descriptions of tools: one line per meaning; `pull-request` stands for two adjacent words. */
const meanings = `
	delete remove drop destroy erase purge trash discard clear rid
	list show get fetch read view retrieve see display browse return inspect give enumerate
	find search query lookup locate look-up discover
	create add new make open insert register raise generate set-up
	update edit change modify set alter adjust amend patch replace correct
	rename change-name move
	send post publish deliver submit write drop tell
	write save store put create record
	message chat dm direct-message text sms note
	notify alert tell inform ping remind
	reply respond answer
	close resolve finish complete end done fix
	cancel abort stop terminate kill halt end
	start run launch execute trigger begin invoke boot kick-off play resume
	restart reboot reload bounce reset
	rerun retry again repeat re-run
	pause suspend hold freeze
	pull-request pr merge-request mr
	merge combine join unite deduplicate dedupe
	issue ticket bug problem
	task todo to-do reminder
	sprint iteration milestone
	kubernetes k8s cluster
	container docker pod
	database db sql postgres
	row record entry
	column field attribute schema
	repository repo codebase
	directory folder dir
	recursive tree nested
	file document
	document doc page article
	picture image photo
	email mail e-mail
	person people user member contact colleague
	everyone everybody all-people
	customer client account buyer
	company organization business org
	employee staff worker
	assign delegate hand-over owner
	calendar schedule agenda
	event meeting appointment call
	book reserve schedule
	reservation booking
	free available availability open
	move transfer relocate
	copy duplicate clone
	upload attach import
	download export save fetch
	share invite grant-access
	permission access right role
	comment remark note feedback
	tag label
	channel room
	link url address
	website site web-page web browser
	visit navigate open browse
	screenshot screen-capture screen-shot snapshot capture picture
	type enter fill
	press click tap
	price cost rate quote
	invoice bill
	pay payment charge
	refund money-back reimburse reimbursement
	expense reimbursement receipt
	coupon discount voucher promo
	order purchase buy
	product item article sku
	stock inventory
	share stock ticker equity
	shipment parcel package delivery
	deploy release ship roll-out deployment publish
	revert undo rollback roll-back restore
	restore recover older previous
	log logs trace output
	metric measurement statistic stats analytics
	monitor watch observe
	error exception failure crash
	incident outage
	on-call oncall pager duty
	acknowledge ack confirm
	mute silence snooze
	build compile
	pipeline workflow ci job action
	test check verify validate
	branch ref
	commit change revision
	diff difference compare change
	history log changelog past version
	revision version
	count number how-many total
	scale resize replicas
	summary overview report digest
	translate translation language
	convert transform conversion
	currency money exchange euro dollar usd eur
	weather forecast rain temperature snow sunny
	map route direction navigation navigate way
	distance far
	coordinates latitude longitude geocode gps
	place location near nearby
	time date clock
	today now current
	secret credential password
	login log-in sign-in authenticate
	key token
	server host machine instance vm
	cpu memory usage ram load
	function lambda
	bucket storage s3
	queue topic
	cache redis
	song track music tune
	video clip film movie
	playlist play-list
	block ban
	allow permit enable
	disable deactivate turn-off switch-off off toggle
	enable activate turn-on switch-on on toggle
	light lamp bulb
	thermostat heating temperature
	archive put-away
	approve accept confirm
	reject deny decline refuse
	subscribe follow
	unsubscribe unfollow
	lead prospect
	deal opportunity sale
	vacation holiday leave time-off absence away pto
	salary payroll payslip wage pay-slip
	job role position vacancy
	candidate applicant
	flight plane airline
	hotel accommodation room
	mean explain describe definition
	news headline article
`;

/** A word of a query, or two adjacent ones. */
export type AskedWord = {
	/** In lower case; absent for two words. */
	readonly word?: string;
	/** Its forms in an index, best first: terms that must occur together, and their weight compared with the word itself (1 for the same). */
	readonly forms: ReadonlyArray<{readonly terms: readonly string[]; readonly weight: number}>;
};

/** Maximum number of characters and words of a query that are read. */
const maxQuestion = 1000;
const maxWords = 40;

/** Weight of a synonym. */
const synonymWeight = 0.6;

/** Weight of the parts of `createIssue`, if they are written separately. */
const partsWeight = 0.9;

/** The significant words of a text in lower case; `createIssue` as a whole and in parts. */
export const searchWords = (text: string): readonly string[] =>
	runsIn(text).flatMap(run => [run.toLowerCase(), ...partsOf(run)].filter(saysSomething));

/** Longer runs of letters are not words of a language. */
const maxWordLength = 40;

const saysSomething = (word: string): boolean =>
	word.length <= maxWordLength && !stopWords.has(word);

/** The words of a query: at most 40, and each pair of adjacent ones. */
export function queryWords(question: string): readonly AskedWord[] {
	const runs = runsIn(question.slice(0, maxQuestion)).slice(0, maxWords);
	const words = runs.map(run => run.toLowerCase());
	const asked = new Map<string, AskedWord>();
	// Two words that together have a meaning only ask for that.
	const phrases = words.map((word, index) =>
		synonymsOf(`${stemOf(word)}-${stemOf(words[index + 1] ?? '')}`),
	);
	for (const [index, word] of words.entries()) {
		const isOfPhrase = [index - 1, index].some(at => (phrases[at]?.length ?? 0) > 0);
		const parts = partsOf(runs[index] ?? '');
		if (saysSomething(word) && !isOfPhrase) {
			asked.set(word, {
				word,
				forms: [
					{terms: [stemOf(word)], weight: 1},
					...(parts.length > 1 ? [{terms: parts.map(stemOf), weight: partsWeight}] : []),
					...synonymsOf(stemOf(word)),
				],
			});
		}

		const next = words[index + 1];
		const isPhrase = (phrases[index]?.length ?? 0) > 0;
		if (next !== undefined && (isPhrase || (saysSomething(word) && saysSomething(next)))) {
			asked.set(word + next, {
				forms: [
					{terms: [stemOf(word + next)], weight: 1},
					...(isPhrase ? [{terms: [word, next].filter(saysSomething).map(stemOf), weight: 1}] : []),
					...(phrases[index] ?? []),
				],
			});
		}
	}

	return [...asked.values()];
}

const synonymsOf = (key: string): AskedWord['forms'] =>
	[...(synonyms().get(key) ?? [])].flatMap(other => {
		// An index has no stop words.
		const terms = other.split('-').filter(saysSomething);
		return terms.length === 0 ? [] : [{terms, weight: synonymWeight}];
	});

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Maps the stem of a word or phrase to the stems of its synonyms. */
function synonyms(): ReadonlyMap<string, ReadonlySet<string>> {
	if (known) {
		return known;
	}

	const others = new Map<string, Set<string>>();
	for (const line of meanings.trim().split('\n')) {
		const keys = line
			.trim()
			.split(/\s+/)
			.map(phrase => phrase.split('-').map(stemOf).join('-'));
		for (const key of keys) {
			const of = others.get(key) ?? new Set();
			others.set(key, of);
			for (const other of keys.filter(one => one !== key)) {
				of.add(other);
			}
		}
	}

	known = others;
	return others;
}

const runsIn = (text: string): readonly string[] => plain(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Removes accents. */
const plain = (text: string): string =>
	/^[\0-\x7f]*$/.test(text) ? text : text.normalize('NFKD').replaceAll(/\p{M}+/gu, '');

/** Splits `createIssue` into `create`, `issue`, and `base64` into `base`, `64`. Empty for a simple word, or one whose parts would be single characters, as in `k8s`. */
function partsOf(run: string): readonly string[] {
	if (
		/^[A-Z]?[a-z]+$/.test(run) ||
		!/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u.test(run)
	) {
		return [];
	}

	const parts = run.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{L}--\p{Lu}]+|\p{Lu}|\p{N}+/gv) ?? [];
	return parts.filter(part => part.length > 1).map(part => part.toLowerCase());
}

const stems = new Map<string, string>();

/** Maximum number of cached stems: tools use few words, but strangers may invent any number. */
const maxStems = 20_000;

/** The stem of a word, as in an index. */
export function stemOf(word: string): string {
	const found = stems.get(word);
	if (found !== undefined) {
		return found;
	}

	const stem = stemmer(word);
	if (stems.size < maxStems) {
		stems.set(word, stem);
	}

	return stem;
}
