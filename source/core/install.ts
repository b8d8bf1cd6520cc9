import {escapedUnits, escapeHazards} from './json.ts';
import type {
	installReviewSchema,
	offeredInstallSchema,
	waitingInstallSchema,
} from './schemas/install.ts';
import type {Shape} from './schemas/parts.ts';
import {type Safe, escapeLine} from './untrusted.ts';

/** The effect of installing a tool server from a link, for a person to decide. */
export type InstallReview = Shape<typeof installReviewSchema>;

/** A link opened outside of the interface that waits for a person there. Without the link itself, which may hold a secret: events are logged. */
export type WaitingInstall = Shape<typeof waitingInstallSchema>;

/** A waiting install with its link. */
export type OfferedInstall = Shape<typeof offeredInstallSchema>;

/** One line of the review before a tool server is installed from a link. */
export type InstallLine = {
	readonly text: Safe;
	readonly tone: 'strong' | 'plain' | 'danger';
	/** `true`: text of this program, wrapped at blanks. `false`: content of the link, wrapped at any character. */
	readonly isProse: boolean;
};

/** Never reached: entries have at most 32 KiB, and stay below this even if every character is escaped. */
const maxLength = 1_000_000;

/**
 * The whole review for a person: what is installed, the warnings, and the complete entry with every character visible. Lines may be of any length:
 * wrap them, cut nothing.
 */
export const installLines = (review: InstallReview): readonly InstallLine[] => [
	...installSummary(review),
	empty,
	...installEntry(review),
];

/** The name, the program or host, and the warnings. */
export function installSummary(review: InstallReview): readonly InstallLine[] {
	const {name, linkName, exists, freeName, cautions} = review;
	return [
		lineOf(
			`Tool server "${name}"${name === linkName ? '' : ` (the link calls it "${linkName}")`}`,
			'strong',
		),
		...(exists
			? [
					lineOf(
						`There is a tool server "${name}" already, which is never overwritten: choose another name${freeName === undefined ? '' : ` (${freeName} is free)`}, or cancel`,
						'danger',
					),
				]
			: []),
		empty,
		...whatItIs(review),
		empty,
		...cautions.map(({weight, text}) =>
			lineOf(
				`${weight === 'danger' ? '!' : '·'} ${text}`,
				weight === 'danger' ? 'danger' : 'plain',
			),
		),
	];
}

/** The whole entry as JSON. */
export const installEntry = ({name, entry}: InstallReview): readonly InstallLine[] => [
	lineOf('What would stand below mcp_servers in config.yaml, nothing left out:', 'strong'),
	...visibleJson({[name]: entry}).map(text => ({text, tone: 'plain', isProse: false}) as const),
];

function whatItIs({argv, host, entry}: InstallReview): readonly InstallLine[] {
	if (argv) {
		return [
			lineOf('It runs this program on this machine, as you, with these arguments:', 'danger'),
			...argv.map((word, index) => ({
				text: escapeLine(`  ${String(index).padStart(3)}  ${visibleText(word)}`, maxLength),
				tone: 'strong' as const,
				isProse: false,
			})),
		];
	}

	const {url} = entry;
	return [
		lineOf('It is a remote server, which gets what its tools are called with:', 'plain'),
		{
			...lineOf(`  url   ${visibleText(typeof url === 'string' ? url : '')}`, 'strong'),
			isProse: false,
		},
		{...lineOf(`  host  ${host ?? ''}`, 'strong'), isProse: false},
	];
}

const lineOf = (text: string, tone: InstallLine['tone']): InstallLine => ({
	text: escapeLine(text, maxLength),
	tone,
	isProse: true,
});

const empty = lineOf('', 'plain');

/**
 * A text as a JSON string. Invisible characters, bidi controls, and characters of disputed width are escaped as well. Different texts
 * look different, except for letters that look alike.
 */
const visibleText = (text: string): string => visible(JSON.stringify(text));

function visibleJson(value: unknown): readonly Safe[] {
	return JSON.stringify(value, null, 2)
		.split('\n')
		.map(row => escapeLine(`  ${visible(row)}`, maxLength));
}

/** Writes the characters that `escapeLine` would change as JSON escapes. */
const visible = (json: string): string =>
	escapeHazards(json).replaceAll(/[^\x20-\x7e]/gu, character =>
		escapeLine(character) === character ? character : escapedUnits(character),
	);
