/** Times, spans and figures for people. */
const UTC = 'semel.utc';
const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const settings = {
  get utc() {
    return localStorage.getItem(UTC) === 'true';
  },
  set utc(value) {
    localStorage.setItem(UTC, String(value));
  },
};

const two = number => String(number).padStart(2, '0');

/** 2026-01-31 12:00:00, in the zone that the person chose. */
export function time(value) {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) {
    return String(value);
  }
  if (settings.utc) {
    return at.toISOString().slice(0, 19).replace('T', ' ') + ' UTC';
  }
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} `
      + `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The clock of a chart's axis: hours and minutes, with the day for longer spans. */
export function clock(value, withDay) {
  const text = time(value);
  return withDay ? text.slice(5, 16) : text.slice(11, 16);
}

/** Both zones, for a title. */
export function bothTimes(value) {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) {
    return String(value);
  }
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'local';
  return `${at.toISOString()} (UTC); ${at.toLocaleString('sv')} (${zone})`;
}

/** 340 ms, 12 s, 4 min 5 s, 3 h 12 min, 5 d 2 h. */
export function span(millis) {
  const ms = Math.abs(Math.round(millis));
  if (ms < 1000) {
    return `${ms} ms`;
  }
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) {
    return seconds < 10 && ms % 1000 >= 100 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  }
  const parts = (big, bigName, small, smallName) => `${big} ${bigName}${small ? ` ${small} ${smallName}` : ''}`;
  if (seconds < 3600) {
    return parts(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) {
    return parts(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  }
  const hours = Math.floor(minutes / 60);
  return parts(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** "4 min ago" or "in 4 min". */
export function relative(value, now = Date.now()) {
  const distance = now - new Date(value).getTime();
  if (Math.abs(distance) < 1000) {
    return 'now';
  }
  const rough = span(distance).split(' ').slice(0, 2).join(' ');
  return distance > 0 ? `${rough} ago` : `in ${rough}`;
}

export function number(value) {
  return figures.format(value);
}

export function short(value) {
  return Math.abs(value) < 10_000 ? figures.format(value) : compact.format(value);
}

export function percent(share) {
  return `${figures.format(share * 100)} %`;
}

/** 1 message, 2 messages. */
export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** The first twelve digits, as sentences name a record. */
export function brief(id) {
  return id.slice(0, 12);
}

/** JSON with indentation; anything else as it is. */
export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
