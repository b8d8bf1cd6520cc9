import {formatWithOptions} from 'node:util';

/** What libraries call. */
const methods = ['debug', 'dir', 'error', 'info', 'log', 'trace', 'warn'] as const;

const maxTextLength = 2000;

/** Who hears what libraries say; the newest alone. */
const hearers: Array<(text: string) => void> = [];

/**
 * Takes what libraries write to `console` away from the terminal, which is drawn on and believed by people, while strangers choose the words of warnings: `hear` gets
 * at most 2,000 characters of it, as they are, and must not throw. Who captures later hears it instead, until disposal; after the last one `console` is what it was.
 */
export function captureConsole(hear: (text: string) => void): Disposable {
	// An object of its own: the same function may hear twice.
	const hearer = (text: string) => {
		hear(text);
	};

	if (hearers.length === 0) {
		replaceMethods();
	}

	hearers.push(hearer);
	return {
		[Symbol.dispose]() {
			const index = hearers.indexOf(hearer);
			if (index !== -1) {
				hearers.splice(index, 1);
			}

			if (hearers.length === 0) {
				restoreMethods();
			}
		},
	};
}

let originals: Partial<Console> = {};

const say = (...parts: readonly unknown[]) => {
	hearers.at(-1)?.(textOf(parts));
};

function replaceMethods(): void {
	originals = Object.fromEntries(methods.map(method => [method, console[method]]));
	Object.assign(console, Object.fromEntries(methods.map(method => [method, say])));
}

function restoreMethods(): void {
	Object.assign(console, originals);
}

/** What cannot be shown must not end who says it. */
function textOf(parts: readonly unknown[]): string {
	const short = parts.map(part => (typeof part === 'string' ? part.slice(0, maxTextLength) : part));
	try {
		return formatWithOptions(
			{depth: 1, maxArrayLength: 10, maxStringLength: 200, breakLength: Infinity},
			...short,
		).slice(0, maxTextLength);
	} catch {
		return 'something that cannot be shown';
	}
}
