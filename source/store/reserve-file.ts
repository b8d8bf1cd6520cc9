import {closeSync, constants, fsyncSync, openSync, rmSync, statSync, writeSync} from 'node:fs';

const reserveBytes = 4 * 1024 * 1024;
const privateFile = 0o600;

/** Space that is kept back for the moment when the disk is full: deleting rows needs some, too. */
export type Reserve = {
	/** Takes the space, if it is not taken yet and there is enough. */
	ensure(): void;
	/** Gives the space back; `false` when there was none to give. */
	release(): boolean;
};

/** A file of 4 MiB beside the database. A disk that has no room for it is no error: there is then no reserve. */
export function createReserve(file: string): Reserve {
	const release = () => {
		const existed = statSync(file, {throwIfNoEntry: false}) !== undefined;
		rmSync(file, {force: true});
		return existed;
	};

	return {
		release,
		ensure() {
			if (statSync(file, {throwIfNoEntry: false})?.size === reserveBytes) {
				return;
			}

			try {
				fill(file);
			} catch {
				release();
			}
		},
	};
}

function fill(file: string): void {
	const descriptor = openSync(
		file,
		constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
		privateFile,
	);
	try {
		const written = writeSync(descriptor, new Uint8Array(reserveBytes));
		fsyncSync(descriptor);
		if (written < reserveBytes) {
			throw new Error('no room for the reserve');
		}
	} finally {
		closeSync(descriptor);
	}
}
