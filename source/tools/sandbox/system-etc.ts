import {createHash} from 'node:crypto';
import {
	chmodSync,
	copyFileSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Mount} from './plan.ts';

/** Limits of a copy. Above them each place is mounted separately, which slows down every call. */
const mostFiles = 5000;
const mostBytes = 2 ** 25;

/** How many older copies are kept for calls planned with them. */
const keptCopies = 3;

/** A snapshot of the visible part of `/etc` in `cache`, bound as one mount. Rebuilt when a source changes. `undefined` if it cannot be made here. */
export function etcFolder(places: readonly Mount[], cache: string): string | undefined {
	const folder = join(cache, `etc-${keyOf(places)}`);
	if (existsSync(folder)) {
		return folder;
	}

	let made: string | undefined;
	try {
		mkdirSync(cache, {recursive: true, mode: 0o700});
		made = mkdtempSync(join(cache, 'new-'));
		const left = {files: mostFiles, bytes: mostBytes};
		for (const place of places) {
			copyPlace(place, {to: join(made, place.path.slice('/etc/'.length)), left});
		}

		chmodSync(made, 0o755);
		renameSync(made, folder);
		removeOld(cache);
		return folder;
	} catch {
		if (made !== undefined) {
			rmSync(made, {recursive: true, force: true});
		}

		// Another process may have created it first.
		return existsSync(folder) ? folder : undefined;
	}
}

/** A key that changes with the places' targets, times and sizes. */
function keyOf(places: readonly Mount[]): string {
	const facts = places.map(place => {
		if (place.kind !== 'read') {
			return place;
		}

		const stats = statSync(place.from, {throwIfNoEntry: false});
		return [place, stats?.ino, stats?.mtimeMs, stats?.size];
	});
	return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

type Left = {files: number; bytes: number};

function copyPlace(place: Mount, {to, left}: {readonly to: string; readonly left: Left}): void {
	makeFolder(dirname(to));
	switch (place.kind) {
		case 'read':
			copy(place.from, to, left);
			break;
		case 'link':
			symlinkSync(place.to, to);
			break;
		case 'text':
			writeFileSync(to, place.text, {mode: 0o444});
			break;
		case 'write':
		case 'cover':
		case 'memory':
	}
}

/** Keeps links; leaves out devices and the like. @throws RangeError above the bounds */
function copy(from: string, to: string, left: Left): void {
	const stats = lstatSync(from);
	left.files -= 1;
	left.bytes -= stats.isFile() ? stats.size : 0;
	if (left.files < 0 || left.bytes < 0) {
		throw new RangeError(`Cannot copy "${from}": it holds too much`);
	}

	if (stats.isDirectory()) {
		makeFolder(to);
		for (const name of readdirSync(from)) {
			copy(join(from, name), join(to, name), left);
		}
	} else if (stats.isSymbolicLink()) {
		symlinkSync(readlinkSync(from), to);
	} else if (stats.isFile()) {
		copyFileSync(from, to);
		chmodSync(to, 0o444);
	}
}

function makeFolder(path: string): void {
	mkdirSync(path, {recursive: true, mode: 0o755});
}

function removeOld(cache: string): void {
	const copies = readdirSync(cache)
		.map(name => join(cache, name))
		.toSorted((one, other) => lstatSync(other).ctimeMs - lstatSync(one).ctimeMs);
	for (const copyOfBefore of copies.slice(1 + keptCopies)) {
		rmSync(copyOfBefore, {recursive: true, force: true});
	}
}
