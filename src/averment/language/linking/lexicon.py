"""The words of analytics that mean the same or stand for each other: a lexicon of our own, small and checked by hand.

``ABBREVIATIONS`` maps a short form to its words, ``SYNONYMS`` puts words of one meaning in one group, ``IMPLIED``
maps a word of a question to the attributes it asks about ("oldest" to age). Words are stems in normal form.
"""

from __future__ import annotations

_SHORT = """
    acct: account; acc: account; addr: address; adj: adjusted; adm: admission; agg: aggregate; alt: altitude; amt:
    amount; approx: approximate; arr: arrival; assn: association; attr: attribute; auth: author; avg: average; bal:
    balance; bd: birth date; bldg: building; cal: calendar; cap: capacity; cat: category; categ: category; cd: code;
    char: character; chg: change; cls: class; cnt: count; cntry: country; co: company; col: column; comm: commission;
    comp: company; conf: confidence; corp: corporation; coef: coefficient; corr: correlation; cur: currency; curr:
    current; cust: customer; cty: city; ctry: country; cyl: cylinder; db: database; dep: departure; dept: department;
    des: description; desc: description; dest: destination; dev: deviation; dim: dimension; dir: director; disc:
    discount; disp: displacement; dist: distance; div: division; dob: date birth; doc: document; dow: day week; dt:
    date; dur: duration; edu: education; elev: elevation; emp: employee; eng: engine; est: estimate; exp: experience;
    expr: expression; ext: extension; fin: finance; fk: key; fname: first name; freq: frequency; gend: gender; gdp:
    gross domestic product; govt: government; gpa: grade point average; grp: group; hp: horsepower; hr: hour; hrs:
    hour; ht: height; hum: humidity; idx: index; img: image; inc: income; ind: indicator; info: information; ins:
    insurance; inst: institution; instr: instructor; intl: international; inv: inventory; inv: invoice; iss: issue;
    lang: language; lat: latitude; len: length; lng: longitude; lon: longitude; long: longitude; lname: last name;
    loc: location; lvl: level; max: maximum; med: median; mfg: manufacturing; mfr: manufacturer; mgr: manager; mgmt:
    management; min: minimum; mkt: market; mo: month; mpg: mile gallon; msg: message; mth: month; mtg: meeting; nat:
    national; nbr: number; no: number; num: number; obs: observation; occ: occupation; opp: opponent; ord: order; org:
    organization; orig: origin; pax: passenger; pct: percent; perc: percent; perf: performance; pk: key; pmt: payment;
    pop: population; pos: position; prcp: precipitation; precip: precipitation; prev: previous; prob: probability;
    prod: product; prof: professor; pts: point; pub: publication; pwr: power; qtr: quarter; qty: quantity; quant:
    quantity; ref: reference; reg: region; rev: revenue; rel: relation; req: request; res: result; ret: return; rm:
    room; sal: salary; sched: schedule; sec: second; seq: sequence; sig: significance; spec: specialty; sqft: square
    foot; src: source; std: standard; stat: status; stats: statistics; stddev: standard deviation; stk: stock; stu:
    student; subj: subject; sub: subscription; supp: supplier; svc: service; sym: symbol; tbl: table; tel: telephone;
    temp: temperature; tix: ticket; tot: total; trans: transaction; trx: transaction; ttl: total; tx: transaction;
    txn: transaction; typ: type; uid: user id; univ: university; usr: user; util: utilization; val: value; var:
    variance; veh: vehicle; vol: volume; wk: week; wt: weight; yr: year; ytd: year date; zip: zip code; tz: time zone;
    btw: between; ceo: chief executive officer; cfo: chief financial officer; ssn: social security number; sku:
    product; hh: household; fg: field goal; ft: free throw; gp: game play; gm: game; pld: play; pos: position; rbi:
    run bat; apt: apartment; crs: course; lic: license
"""
ABBREVIATIONS: dict[str, tuple[tuple[str, ...], ...]] = {}
for _entry in _SHORT.replace("\n", " ").split(";"):
    _key, _, _words = _entry.strip().partition(": ")
    if _words:
        ABBREVIATIONS[_key] = (*ABBREVIATIONS.get(_key, ()), tuple(_words.split()))

_GROUPS = """
    revenue sale turnover proceeds income earnings
    cost expense expenditure spend spending outlay
    price cost fee charge rate fare
    amount total value sum
    profit margin earnings gain
    salary pay wage compensation remuneration
    customer client buyer shopper consumer patron
    order purchase transaction
    product item article good merchandise
    employee staff worker personnel
    supplier vendor provider seller
    company firm business organization enterprise corporation
    store shop outlet
    user member subscriber
    quantity count number volume
    city town municipality
    country nation
    state province
    region area territory zone district
    place location site venue
    job position role occupation title profession
    category type kind class group
    date day time
    begin start open
    end finish close
    phone telephone mobile cell
    mail email
    film movie
    song track tune
    artist singer musician performer
    book publication title
    paper article publication
    car vehicle automobile auto
    doctor physician
    patient case
    teacher instructor professor lecturer
    student pupil
    school college university institution
    course class subject
    gender sex
    sex gender
    score point mark grade rating
    rating review score star
    game match fixture
    team club squad side
    player athlete
    rank position place standing
    win victory
    loss defeat
    opponent rival
    attendance crowd audience spectator
    result outcome
    nation nationality country
    population inhabitant resident
    height elevation altitude
    size area
    distance length
    duration length time
    weight mass
    speed velocity
    temperature temp
    rain rainfall precipitation
    discount rebate reduction markdown
    tax duty vat
    debt loan liability
    balance amount
    stock inventory
    ticker symbol
    account profile
    channel medium source
    campaign promotion
    visit session
    visitor guest
    ticket issue
    shipment delivery
    return refund
    payment transaction settlement
    manager boss supervisor head
    owner holder proprietor
    birthday birthdate birth
    death die
    language tongue
    party affiliation
    department division unit
    description detail note comment remark
    identifier id code key
    name title label
    year season
    percent percentage share proportion rate ratio
    average mean avg
    release launch debut publish issue
    found establish create
    build construct
    hire employ recruit
    capacity size
    status state condition
    disease illness condition diagnosis
    drug medication medicine
    treatment therapy procedure
    airport airfield
    airline carrier
    flight trip
    hotel accommodation lodging
    apartment flat
    arrival arrive
    departure depart
    house home
    money fund cash
    budget fund
    goal objective target
    conversion signup
    click tap
    complaint issue
    error fault failure
    device machine equipment
    manufacturer maker brand make producer
    brand make
    model version
    horsepower power
    fuel gas petrol
"""
SYNONYMS: dict[str, frozenset[str]] = {}
for _line in _GROUPS.strip().splitlines():
    _group = _line.split()
    for _word in _group:
        SYNONYMS[_word] = SYNONYMS.get(_word, frozenset()) | (frozenset(_group) - {_word})

_HINTS = """
    old older oldest young younger youngest aged: age birth
    tall taller tallest high higher highest short shorter: height elevation
    long longer longest short shorter shortest: length duration
    heavy heavier heaviest light lighter lightest weigh: weight
    big bigger biggest large larger largest small smaller smallest: size area population
    fast faster fastest slow slower slowest quick quickest: speed time
    expensive cheap cheaper cheapest costly costliest pricey afford: price cost
    rich richer richest wealthy: income wealth revenue
    early earlier earliest late later latest recent recently when date ago: date year time
    born birthday: birth birthdate
    die died dead: death
    far farther farthest near nearest close closest: distance
    hot hotter hottest cold colder coldest warm: temperature
    deep deeper deepest: depth
    wide wider widest: width
    popular: count rating vote
    crowded populous populated: population
    where located live based situated: location city country address place state
    who whom whose: name person
    earn earned earning: salary income wage revenue
    paid pay: payment amount salary
    cost: price amount
    sold sell: sale quantity
    bought buy: purchase order
    attend attended: attendance
    score scored: score point goal
    win won winner: result winner rank
    called named: name title
    profitable: profit
    weather: temperature
    male female men women man woman: gender sex
"""
IMPLIED: dict[str, frozenset[str]] = {}
for _line in _HINTS.strip().splitlines():
    _left, _, _right = _line.partition(":")
    for _word in _left.split():
        IMPLIED[_word] = IMPLIED.get(_word, frozenset()) | frozenset(_right.split())
