import {StatementSync} from 'node:sqlite';

// Loaded into a gateway with `--import`: ends the process, as a power cut would, at the n-th commit that holds a statement. Nothing in the
// program knows of it. Plain JavaScript: taking the types out in each life would double what a start takes. `KILL_AT` is `before|after <n> <regular expression>`.

const [when = '', count = '', ...pattern] = (process.env.KILL_AT ?? '').split(' ');
const matching = new RegExp(pattern.join(' '));
let left = Number(count);
let seen = false;

const die = () => {
	process.kill(process.pid, 'SIGKILL');
	// The signal comes before the next line of the program does.
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

// oxlint-disable-next-line typescript/unbound-method -- it is always given its statement
const {run, get} = StatementSync.prototype;

/** A statement that answers with a row may be the one, too. */
function getAndSee(...parameters) {
	seen ||= left > 0 && matching.test(this.sourceSQL);
	return get.apply(this, parameters);
}

function runOrDie(...parameters) {
	const text = this.sourceSQL;
	if (text !== 'commit') {
		seen ||= left > 0 && matching.test(text);
		return run.apply(this, parameters);
	}

	const isWanted = seen && --left === 0;
	seen = false;
	if (isWanted && when === 'before') {
		die();
	}

	const result = run.apply(this, parameters);
	if (isWanted) {
		die();
	}

	return result;
}

Object.assign(StatementSync.prototype, {run: runOrDie, get: getAndSee});
