// What a reload finds again: what the browser's tab keeps, and the address, which holds the whole game.

// Keys in the storage of the tab: its name at the server, the address that holds its game, who plays, and the level.
export const TAB = 'pentalith-tab'
export const ADDRESS = 'pentalith-address'
export const PLAYERS = 'pentalith-players'
// Changes of the address: so many at once, and then one each so many milliseconds. Safari throws above 100 in 30 s.
const CHANGES = 20
const CHANGE = 1500

// A browser that keeps no cookies may refuse the storage: then a reload opens the link.
export function recall(key) {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

export function remember(key, text) {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // Nothing depends on it.
  }
}

export function linkOfAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null
  } catch {
    return null
  }
}

// Returns false if the browser refuses.
export function setAddress(address) {
  try {
    history.replaceState(null, '', address)
    remember(ADDRESS, address)
    return true
  } catch {
    return false
  }
}

let changes = CHANGES // how many changes of the address are allowed now
let changed = 0 // when that was computed, by performance.now()
let later = null // the timer of a change

// Puts a game into the address; `link` returns the newest one.
export function showAddress(link) {
  const hash = '#' + encodeURIComponent(link())
  if (location.hash === hash) remember(ADDRESS, hash)
  if (location.hash === hash || later) return
  const now = performance.now()
  changes = Math.min(CHANGES, changes + (now - changed) / CHANGE)
  changed = now
  if (changes >= 1 && setAddress(hash)) changes--
  else {
    later = setTimeout(() => {
      later = null
      showAddress(link)
    }, CHANGE)
  }
}
